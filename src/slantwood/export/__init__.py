"""Models for other programs to run, and for people to read. Other libraries are loaded when they are used."""

from slantwood.estimators.reading.text import export_text
from slantwood.export.onnx import encode_inputs, to_onnx
from slantwood.export.pipelines import register_onnx

__all__ = ["encode_inputs", "export_text", "register_onnx", "to_onnx"]
