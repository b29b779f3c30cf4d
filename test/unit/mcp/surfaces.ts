import { buildAgentSurface } from '../../../src/api/mcp/agentSurface.ts';
import { buildHostedSurface } from '../../../src/api/mcp/hosted/hostedSurface.ts';
import { limitShape } from '../../../src/platform/config/limits.ts';
import { createCipher } from '../../../src/platform/encryption/cipher.ts';
import { createLogger } from '../../../src/platform/log/createLogger.ts';

/** The agents' surfaces, built like in the service. */
export function buildTestSurfaces() {
  const parts = {
    limits: limitShape.parse({}),
    cipher: createCipher([Buffer.alloc(32, 7)]),
    logger: createLogger({ level: 'silent', name: 'test' }),
  };
  const installation = {
    environment: 'testnet',
    firstChain: 59_141,
    publicBaseUrl: 'http://localhost',
  } as const;
  return { agents: buildAgentSurface(parts), hosted: buildHostedSurface(parts, installation) };
}
