/** The exit code of a process for which another start may help; supervisors know it as EX_TEMPFAIL. */
export const temporaryFailure = 75;
