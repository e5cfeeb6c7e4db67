"""Spectral, Sottovoce's own mechanism: signs of Walsh functions, explained by a mixture of products."""

from __future__ import annotations

from sottovoce.mechanisms.spectral.mechanism import SPECTRAL, SpectralOptions, WorkloadOptions

__all__ = ["SPECTRAL", "SpectralOptions", "WorkloadOptions"]
