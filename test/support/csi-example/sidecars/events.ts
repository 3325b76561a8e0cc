/** Events of a sidecar, one object for each reason and message. */
import { createHash } from 'node:crypto';
import { ApiError, type Cluster, type KubeObject } from './cluster.ts';
import { settings } from '../settings.ts';

/** A failure to say something stops nothing. @param what `Claim` … */
export async function say(
  cluster: Cluster,
  component: string,
  about: KubeObject & { readonly kind: string },
  [type, reason, message]: readonly ['Normal' | 'Warning', string, string],
): Promise<void> {
  const { name, namespace = 'default', uid } = about.metadata;
  const key = createHash('sha256').update(`${uid} ${reason} ${message}`).digest('hex').slice(0, 16);
  const now = new Date().toISOString();
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${key}`, namespace },
    involvedObject: { apiVersion: about.apiVersion ?? 'v1', kind: about.kind, name, namespace, uid },
    type,
    reason,
    message: message.slice(0, 1000),
    source: { component: `${settings.driver}_${component}` },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
  const path = `/api/v1/namespaces/${namespace}/events`;
  try {
    await cluster.create(path, event);
  } catch (error) {
    if (error instanceof ApiError && error.code === 409)
      await cluster.patch(`${path}/${event.metadata.name}`, { lastTimestamp: now }).catch(() => {});
    else console.log(String(error));
  }
}
