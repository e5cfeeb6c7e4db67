"""What is known of the crowd: the model, its answers, how it is fitted, kept and calibrated."""

from __future__ import annotations

from sottovoce.model.answer import Answer, Estimate
from sottovoce.model.asking import difference
from sottovoce.model.model import Model, fit, load_model

__all__ = ["Answer", "Estimate", "Model", "difference", "fit", "load_model"]
