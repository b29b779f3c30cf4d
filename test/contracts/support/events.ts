import { type Log, parseEventLogs } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';

const abi = [...agreementFactoryAbi, ...agreementEngineAbi];

/** The protocol's events among the logs, in the order of emission: `[name, arguments]`. */
export function readEvents(logs: Log[]): [string, object][] {
  return parseEventLogs({ abi, logs, strict: true }).map(({ eventName, args }) => [eventName, args]);
}

/** The arguments of the only `AgreementDeployed` among the logs. Throws if there is none. */
export function readDeployment(logs: Log[]) {
  const [deployed] = parseEventLogs({ abi: agreementFactoryAbi, eventName: 'AgreementDeployed', logs });
  if (!deployed) throw new Error('no agreement was deployed');
  return deployed.args;
}
