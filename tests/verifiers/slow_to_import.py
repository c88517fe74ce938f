"""Verifiers that take longer to import than a verification may take. Imported only in child processes."""

import time

time.sleep(1)
