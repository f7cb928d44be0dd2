"""Memory of a batch on a GPU, for those who compute there: arrays that offer themselves by DLPack.

`torch.from_dlpack(batch.device_inputs)` is a tensor on the same memory, without a copy; so it is
with every other library that knows the protocol, and with NumPy where a processor stands in for
the GPU.
"""
from __future__ import annotations

import ctypes
from typing import Any


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32),
                ("dtype", _Type), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_Managed._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]

_NAME = b"dltensor"
_FLOAT = 2
_lent: dict[int, Any] = {}  # by address: what a consumer still holds, and what that needs

_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, _Deleter]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]


@_Deleter
def _give_back(address: int) -> None:
    _lent.pop(address, None)


@_Deleter
def _capsule_dies(capsule: int) -> None:
    """Nobody took it: one that was taken has another name."""
    if _is_valid(capsule, _NAME):
        _lent.pop(_pointer(capsule, _NAME), None)


class DeviceArray:
    """Doubles by rows on a device; `shape`, and DLPack's protocol."""

    def __init__(self, array: Any, keep: Any) -> None:
        from ._core import ffi
        self._data = int(ffi.cast("uintptr_t", array.data))
        self._device = (int(array.device_type), int(array.device))
        self.shape: tuple[int, int] = (int(array.shape[0]), int(array.shape[1]))
        self._keep = keep

    def __repr__(self) -> str:
        return f"<DeviceArray {self.shape} on device {self._device}>"

    def __dlpack_device__(self) -> "tuple[int, int]":
        return self._device

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None,
                   copy: Any = None) -> Any:
        """All work of the batch is done when its calls return, so that no stream has to wait."""
        if copy:
            raise BufferError("a copy is made by whoever takes the array")
        if dl_device is not None and tuple(dl_device) != self._device:
            raise BufferError(f"it is on device {self._device}, not on {tuple(dl_device)}")
        shape = (ctypes.c_int64 * 2)(*self.shape)
        strides = (ctypes.c_int64 * 2)(self.shape[1], 1)
        tensor = _Tensor(self._data, _Device(*self._device), 2, _Type(_FLOAT, 64, 1), shape,
                         strides, 0)
        managed = _Managed(tensor, None, _give_back)
        address = ctypes.addressof(managed)
        _lent[address] = (managed, shape, strides, self._keep)
        return _new(address, _NAME, _capsule_dies)
