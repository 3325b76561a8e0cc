/** Gathers ConfigMaps and Secrets that a waiting pod refers to. Only the names of their keys and of registries are kept, and which values are empty or "localhost". */
import { CONFIG_MAPS, type ObjectMeta, SECRETS } from '../../api/index.ts';
import { type ConfigEvidence, type ConfigReference } from '../../diagnosis/index.ts';
import { decodeText } from '../../lib/index.ts';
import { type Asker } from './ask.ts';
import { MAX_CONFIGS } from './limits.ts';

const LOCALHOST_IN_BASE64 = Buffer.from('localhost').toString('base64');

export async function gatherConfigs(
  asker: Asker,
  namespace: string | undefined,
  references: readonly ConfigReference[],
): Promise<readonly ConfigEvidence[]> {
  if (references.length > MAX_CONFIGS) asker.note(`ConfigMaps and Secrets after the first ${MAX_CONFIGS}`);
  const all = await Promise.all(
    references.slice(0, MAX_CONFIGS).map((reference) => gatherOne(asker, namespace, reference)),
  );
  return all.flatMap((one) => one ?? []);
}

async function gatherOne(
  asker: Asker,
  namespace: string | undefined,
  { kind, name }: ConfigReference,
): Promise<ConfigEvidence | undefined> {
  const what = `${kind.toLowerCase()}/${name}`;
  const answer =
    kind === 'ConfigMap'
      ? await asker.get(what, CONFIG_MAPS, namespace, name)
      : await asker.get(what, SECRETS, namespace, name);
  if (answer.kind === 'unknown') return undefined;
  if (answer.kind !== 'found') return { kind, name, state: answer.kind, keys: [] };
  const binary = 'binaryData' in answer.value ? Object.keys(answer.value.binaryData ?? {}) : [];
  const keys = [...Object.keys(answer.value.data ?? {}), ...binary].toSorted();
  const values = Object.entries<string>(answer.value.data ?? {});
  const keysWith = (wanted: string): readonly string[] =>
    values.flatMap(([key, value]) => (value === wanted ? [key] : []));
  const emptyKeys = keysWith('');
  const localhostKeys = keysWith(kind === 'Secret' ? LOCALHOST_IN_BASE64 : 'localhost');
  const writtenAt = lastWritten(answer.value.metadata);
  const registries = kind === 'Secret' ? registriesOf(answer.value.data) : undefined;
  return {
    kind,
    name,
    state: 'found',
    keys,
    ...(emptyKeys.length > 0 && { emptyKeys }),
    ...(localhostKeys.length > 0 && { localhostKeys }),
    ...(registries && { registries }),
    ...(writtenAt !== undefined && { writtenAt }),
  };
}

/** The registries that the Secret has credentials for; undefined when it is for something else, empty when it cannot be read. */
function registriesOf(data: Readonly<Record<string, string>> | undefined): readonly string[] | undefined {
  const encoded = data?.['.dockerconfigjson'] ?? data?.['.dockercfg'];
  if (encoded === undefined) return undefined;
  try {
    const config: unknown = JSON.parse(decodeText(new Uint8Array(Buffer.from(encoded, 'base64'))));
    const auths = isRecord(config) && isRecord(config['auths']) ? config['auths'] : config;
    return isRecord(auths) ? Object.keys(auths).slice(0, MAX_CONFIGS) : [];
  } catch {
    return [];
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The newest of the times that its fields' managers left, and that of its creation. */
function lastWritten(metadata: ObjectMeta | undefined): string | undefined {
  const times = [metadata?.creationTimestamp, ...(metadata?.managedFields ?? []).map(({ time }) => time)];
  return times
    .flatMap((time) => (time === undefined || time === null ? [] : [time]))
    .toSorted()
    .at(-1);
}
