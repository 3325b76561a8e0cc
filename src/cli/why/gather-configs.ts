/** Gathers ConfigMaps and Secrets that a pod refers to. Of Secrets only the names of their keys and of registries are kept, the hosts and ports that values name, marks by which passwords are compared, what certificates tell whoever connects, and what is odd about them. */
import { CONFIG_MAPS, type KubeObject, type ObjectMeta, type Resource, SECRETS } from '../../api/index.ts';
import {
  type ConfigEvidence,
  type ConfigReference,
  credentialMark,
  HOLDS_CREDENTIAL,
  oddContent,
  oddSecret,
  secretAddresses,
} from '../../diagnosis/index.ts';
import { decodeText, nearNames } from '../../lib/index.ts';
import { type Asker } from './ask.ts';
import { MAX_CONFIG_TEXT, MAX_CONFIGS, MAX_LISTED } from './limits.ts';

/** Names of configurations often differ in one part only: api-config and web-config are two. */
const ONE_IN = 4;

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
      ? await asker.get(what, CONFIG_MAPS, namespace, name, { withManagers: true })
      : await asker.get(what, SECRETS, namespace, name, { withManagers: true });
  if (answer.kind === 'unknown') return undefined;
  if (answer.kind === 'missing')
    return { kind, name, state: 'missing', keys: [], ...(await alike(asker, namespace, { kind, name })) };
  if (answer.kind === 'forbidden') return { kind, name, state: 'forbidden', keys: [] };
  const binary = 'binaryData' in answer.value ? Object.keys(answer.value.binaryData ?? {}) : [];
  const keys = [...Object.keys(answer.value.data ?? {}), ...binary].toSorted();
  const values = Object.entries<string>(answer.value.data ?? {});
  const keysWith = (wanted: string): readonly string[] =>
    values.flatMap(([key, value]) => (value === wanted ? [key] : []));
  const emptyKeys = keysWith('');
  const localhostKeys = keysWith(kind === 'Secret' ? LOCALHOST_IN_BASE64 : 'localhost');
  const writtenAt = lastWritten(answer.value.metadata);
  const odd = oddOf(kind, answer.value.data ?? {});
  const marks = kind === 'Secret' ? marksOf(values) : undefined;
  const addresses = kind === 'Secret' ? addressesOf(values) : undefined;
  const certificates = kind === 'Secret' ? certificatesOf(asker, values) : undefined;
  const registries = kind === 'Secret' ? registriesOf(answer.value.data) : undefined;
  return {
    kind,
    name,
    state: 'found',
    keys,
    ...(odd && { odd }),
    ...(kind === 'ConfigMap' && values.length > 0 && { texts: beginnings(values) }),
    ...(addresses && { addresses }),
    ...(marks && { marks }),
    ...(certificates && { certificates }),
    ...(emptyKeys.length > 0 && { emptyKeys }),
    ...(localhostKeys.length > 0 && { localhostKeys }),
    ...(registries && { registries }),
    ...(writtenAt !== undefined && { writtenAt }),
  };
}

/** Those that may be meant: of the name in other namespaces, else of its namespace with similar names. Only their metadata is read. */
async function alike(
  asker: Asker,
  namespace: string | undefined,
  { kind, name }: ConfigReference,
): Promise<Pick<ConfigEvidence, 'elsewhere' | 'similar'>> {
  const resource: Resource<KubeObject> = kind === 'ConfigMap' ? CONFIG_MAPS : SECRETS;
  const what = `names of ${kind}s`;
  const query = { limit: MAX_LISTED, metadataOnly: true };
  const own = await asker.list(what, resource, { ...query, ...(namespace !== undefined && { namespace }) });
  const similar = nearNames(
    name,
    own.flatMap(({ metadata }) => metadata?.name ?? []),
    ONE_IN,
  );
  if (similar.length > 0) return { similar };
  const same = await asker.list(what, resource, { ...query, fieldSelector: `metadata.name=${name}` });
  const elsewhere = same.flatMap(({ metadata }) => metadata?.namespace ?? []).toSorted();
  return elsewhere.length > 0 ? { elsewhere } : {};
}

function beginnings(values: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  return Object.fromEntries(values.map(([key, value]) => [key, value.slice(0, MAX_CONFIG_TEXT)]));
}

/** What is odd about the contents; undefined: nothing. */
function oddOf(
  kind: ConfigReference['kind'],
  data: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  const found = Object.entries(data).flatMap(([key, value]): readonly (readonly [string, string])[] => {
    const odd = kind === 'ConfigMap' ? oddContent(key, value) : oddSecret(key, plainText(value));
    return odd === undefined ? [] : [[key, odd]];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function addressesOf(values: readonly (readonly [string, string])[]): Readonly<Record<string, string>> | undefined {
  const found = values.slice(0, MAX_LISTED).flatMap(([key, value]): readonly (readonly [string, string])[] => {
    const addresses = secretAddresses(key, plainText(value));
    return addresses === undefined ? [] : [[key, addresses]];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function marksOf(values: readonly (readonly [string, string])[]): Readonly<Record<string, string>> | undefined {
  const found = values.slice(0, MAX_LISTED).flatMap(([key, value]): readonly (readonly [string, string])[] => {
    const mark = HOLDS_CREDENTIAL.test(key) ? credentialMark(plainText(value)) : undefined;
    return mark === undefined ? [] : [[key, mark]];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function certificatesOf(
  { session: { readCertificate } }: Asker,
  values: readonly (readonly [string, string])[],
): ConfigEvidence['certificates'] {
  const found = values.slice(0, MAX_LISTED).flatMap(([key, value]) => {
    const facts = readCertificate?.(plainText(value));
    return facts === undefined ? [] : [[key, facts] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function plainText(encoded: string): string {
  return decodeText(new Uint8Array(Buffer.from(encoded, 'base64')));
}

/** The registries that the Secret has credentials for; undefined when it is for something else, empty when it cannot be read. */
function registriesOf(data: Readonly<Record<string, string>> | undefined): readonly string[] | undefined {
  const encoded = data?.['.dockerconfigjson'] ?? data?.['.dockercfg'];
  if (encoded === undefined) return undefined;
  try {
    const config: unknown = JSON.parse(plainText(encoded));
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
