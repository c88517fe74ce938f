"""Work that is sent while it is due: marked before a worker can begin, by rows of reports."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from core.due_work import AGAIN_S, due_claim, due_send
from tests import factories
from trajectories.models import Report

pytestmark = pytest.mark.django_db

FAILURE = {"state": "failed", "problem": "lost"}


def due(**fields: object) -> Report:
    return factories.report(requested_at=Now(), **fields)


def claim(pk: int) -> bool:
    return due_claim(Report.objects.all(), pk, waiting="waiting", state="computing")


def test_a_worker_that_begins_at_once_keeps_its_claim() -> None:
    report = due()

    assert due_send(Report.objects.all(), send=claim, waiting="waiting", failure=FAILURE) == 1

    report.refresh_from_db()
    assert (report.state, report.claims) == ("computing", 1)
    assert due_send(Report.objects.all(), send=claim, waiting="waiting", failure=FAILURE) == 0


def test_what_is_done_while_others_are_sent_stays_done() -> None:
    first, second = due(), due()

    def send(pk: int) -> bool:
        sent.append(pk)
        Report.objects.filter(pk=second.pk).update(state="ready", requested_at=None)
        return True

    sent: list[int] = []
    assert due_send(Report.objects.all(), send=send, waiting="waiting", failure=FAILURE) == 1

    second.refresh_from_db()
    assert (sent, second.state, second.sent_at) == ([first.pk], "ready", None)


def test_work_that_waited_long_is_not_lost_when_it_begins() -> None:
    report = due(sent_at=Now() - timedelta(seconds=AGAIN_S - 1))
    waited_since = Report.objects.get(pk=report.pk).sent_at

    assert claim(report.pk)

    report.refresh_from_db()
    assert report.sent_at - waited_since >= timedelta(seconds=AGAIN_S - 1)


def test_what_the_queue_refuses_stays_due_and_ends_the_round() -> None:
    first, _second = due(), due()
    tried: list[int] = []

    def send(pk: int) -> bool:
        tried.append(pk)
        return False

    assert due_send(Report.objects.all(), send=send, waiting="waiting", failure=FAILURE) == 0

    assert tried == [first.pk]
    assert not Report.objects.filter(sent_at__isnull=False).exists()
