/** Asks a server for its defaults by minimal objects. */
import { refusalOf, type Refusal, steady } from './answers.ts';
import { type Base, bodyOf, type Call, collectionOf, DRY, type Json } from './call.ts';

export interface DefaultsRow extends Partial<Refusal> {
  readonly kind: string;
  readonly status: number;
  readonly sent: Json;
  readonly stored?: Json;
}

export async function askDefaults(base: Base, call: Call): Promise<DefaultsRow> {
  const answer = await call('POST', collectionOf(base) + DRY, base.object);
  const head = { kind: base.name, status: answer.status, sent: base.object };
  if (answer.status !== 201) return { ...head, ...refusalOf(bodyOf(answer)) };
  const stored = steady(answer, base.object);
  const metadata = stored['metadata'] as Json;
  for (const name of ['uid', 'creationTimestamp', 'managedFields', 'resourceVersion']) delete metadata[name];
  const spec = stored['spec'] as Json | undefined;
  if (stored['kind'] === 'Service' && spec?.['clusterIP'] === '(allocated)') {
    delete spec['clusterIP'];
    delete spec['clusterIPs'];
  }
  return { ...head, stored };
}
