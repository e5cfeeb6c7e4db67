"""The collector: a service that counts reports, exactly once each, and cannot leak what it never had."""
