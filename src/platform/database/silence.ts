/** A connection that is silent for this long, in milliseconds, counts as dead, even without a notice of its end. */
export const answerTimeoutMs = 35_000;

/** Settings of a connection that may rightly be silent for long. Without them, the loss of a machine would go unnoticed for hours. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;
