"""What is known of the crowd: the model, its answers, how it is fitted, kept and calibrated."""

from __future__ import annotations

from sottovoce.model.answer import Answer, Estimate, difference
from sottovoce.model.files import load_model
from sottovoce.model.fitting import fit
from sottovoce.model.model import Model
from sottovoce.model.origin import Origin
from sottovoce.model.waves import WaveModels, fit_waves

__all__ = ["Answer", "Estimate", "Model", "Origin", "WaveModels", "difference", "fit", "fit_waves", "load_model"]
