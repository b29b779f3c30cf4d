import type { Logger } from 'pino';
import { type Child, describeExit, startChild } from '../../platform/supervision/child.ts';
import { type InterimPlan, interimVariable, writeInterimPlan } from './interimPlan.ts';
import { findServedSchema } from './servedSchemas.ts';

export type KeepOptions = {
  databaseUrl: string;
  /** The schema of the index that will replace the served one. */
  schema: string;
  plan: InterimPlan;
  /** The program that follows the chains into the served index. */
  entry: string;
  /** Its environment, beside the plan. */
  env: NodeJS.ProcessEnv;
  logger: Logger;
};

/** Most rebuilds take less: then a second process would only slow them down. */
const patienceMs = 10_000;
const lookIntervalMs = 1_000;
const restartDelayMs = 5_000;

/**
 * Starts a second process that keeps the served index current for the other chains until the new index replaces it.
 * Ponder starts the chains of an index together, so the new one shows nothing before all of them are filled. That
 * process ends with this one.
 */
export function keepServedIndex({ databaseUrl, schema, plan, entry, env, logger }: KeepOptions): void {
  let child: Child | undefined;
  let startsAt = performance.now() + patienceMs;
  const start = () => {
    logger.warn(
      { schema: plan.schema, givenUp: plan.givenUp },
      'the served index goes on without these chains',
    );
    const started = startChild({ entry, env: { ...env, [interimVariable]: writeInterimPlan(plan) } });
    child = started;
    void started.exited.then((exit) => {
      child = undefined;
      startsAt = performance.now() + restartDelayMs;
      logger.info({ schema: plan.schema }, `the indexer of the served index ${describeExit(exit)}`);
    });
  };
  const look = async () => {
    // Undefined as well if the database does not answer: then nothing is known.
    const served = await findServedSchema({ databaseUrl, schema }).catch(() => undefined);
    if (served !== undefined && served !== plan.schema) {
      await child?.stop();
      return;
    }
    if (!child && performance.now() > startsAt) start();
    setTimeout(look, lookIntervalMs).unref();
  };
  setTimeout(look, lookIntervalMs).unref();
}
