"""Models for other programs to run, and for people to read. Other libraries are loaded when they are used."""

from slantwood.export.onnx import encode_inputs, to_onnx
from slantwood.export.pipelines import register_onnx
from slantwood.export.text import export_text

__all__ = ["encode_inputs", "export_text", "register_onnx", "to_onnx"]
