from vaultd.daemon.run import follow_jobs, run_daemon, run_jobs, run_once

__all__ = ["follow_jobs", "run_daemon", "run_jobs", "run_once"]
