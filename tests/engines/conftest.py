"""A real Spark: a driver and two worker processes on this machine, started once for all tests that need it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Yield a session on a cluster of two workers with one core each, every process bound to this machine."""
    pyspark = pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    from pyspark.sql import SparkSession

    work = tmp_path_factory.mktemp("spark")
    home = work / "home"  # workers write into Spark's home: give them one that goes away
    home.mkdir()
    for part in Path(pyspark.__file__).parent.iterdir():
        (home / part.name).symlink_to(part)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(home))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        settings = {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",  # short work: compile quickly, not well
            "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
            "spark.executor.memory": "512m",
            "spark.local.dir": str(work),
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(work / "warehouse"),
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }
        builder = SparkSession.builder.master("local-cluster[2,1,512]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        yield session
        session.stop()
