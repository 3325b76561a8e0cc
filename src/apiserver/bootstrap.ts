/** What a cluster has from its first moment: the system namespaces. */
import { NAMESPACES } from '../api/index.ts';
import type { Connection } from './ports.ts';
import { encodeText } from '../lib/index.ts';
import { SYSTEM_NAMESPACES } from './registry/namespaces.ts';

/** Creates what is missing, through the server itself. `ask` answers as the server would for its own user. */
export async function bootstrap(ask: Connection['request']): Promise<void> {
  for (const name of SYSTEM_NAMESPACES) {
    const body = encodeText(JSON.stringify({ apiVersion: 'v1', kind: NAMESPACES.kind, metadata: { name } }));
    const answer = await ask({ method: 'POST', url: '/api/v1/namespaces', headers: {}, body });
    if (answer.status >= 300 && answer.status !== 409) {
      throw new Error(`could not create namespace ${name}: HTTP ${answer.status}`);
    }
  }
}
