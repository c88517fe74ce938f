from __future__ import annotations

from trajectories.behaviour.thoughts.codebook import codebook
from trajectories.behaviour.thoughts.sentences import sentences


def test_each_class_is_defined_with_examples_of_one_sentence() -> None:
    classes = codebook().classes
    assert len({one.id for one in classes}) == len(classes) == 8
    for one in classes:
        assert one.definition.strip()
        assert [sentences(example) for example in one.examples] == [[example] for example in one.examples]
