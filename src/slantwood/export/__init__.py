"""Models for other programs to run. What this needs beside slantwood is loaded when it is used."""

from slantwood.export.onnx import encoded, to_onnx

__all__ = ["encoded", "to_onnx"]
