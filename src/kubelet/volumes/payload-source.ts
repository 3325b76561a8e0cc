/** Collects the payload of a ConfigMap, Secret, downward API or projected volume from where its content comes from. */
import type {
  ConfigMapProjection,
  DownwardAPIVolumeFile,
  Pod,
  SecretProjection,
  Volume,
  VolumeProjection,
} from '../../api/index.ts';
import { encodeText } from '../../lib/index.ts';
import type { ConfigSource } from '../env/config-source.ts';
import { podFieldValue } from '../env/field-ref.ts';
import { resourceFieldValue } from '../env/resource-field-ref.ts';
import type { NodeResources } from '../types.ts';
import { MAX_PAYLOAD_BYTES } from './limits.ts';
import { fsUserOf, tokenMode } from './ownership.ts';
import {
  configMapPayload,
  DEFAULT_FILE_MODE,
  type Payload,
  type PayloadFile,
  secretPayload,
  VolumeError,
} from './payload.ts';

/** Tokens of service accounts, for projected volumes. */
export interface TokenSource {
  token(pod: Pod, audience: string | undefined, expirationSeconds: number): Promise<string>;
}

export interface PayloadOptions {
  readonly config: ConfigSource;
  readonly tokens: TokenSource;
  readonly nodeName: string;
  readonly nodeResources: () => NodeResources;
}

const DEFAULT_TOKEN_SECONDS = 3600;
const EMPTY: Payload = new Map();
/** Projected sources that Kubernetes has and this node has not. */
const UNSUPPORTED = ['clusterTrustBundle', 'podCertificate'] as const;

/**
 * The content that the volume's files should have. Rejects with `VolumeError` in upstream's words, or with the reason why the
 * content is not known.
 */
export async function payloadOf(options: PayloadOptions, pod: Pod, volume: Volume): Promise<Payload> {
  const { configMap, secret, downwardAPI, projected } = volume;
  if (configMap !== undefined) return configMapFiles(options, pod, configMap, configMap.defaultMode);
  if (secret !== undefined)
    return secretFiles(options, pod, { ...secret, name: secret.secretName ?? '' }, secret.defaultMode);
  if (downwardAPI !== undefined) return downwardFiles(options, pod, downwardAPI.items, downwardAPI.defaultMode);
  const joined = new Map<string, PayloadFile>();
  for (const source of projected?.sources ?? []) {
    const files = await projectedFiles(options, pod, source, projected?.defaultMode);
    for (const [path, file] of files) joined.set(path, file);
  }
  return bounded(joined);
}

async function projectedFiles(
  options: PayloadOptions,
  pod: Pod,
  source: VolumeProjection,
  mode: number | undefined,
): Promise<Payload> {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  for (const kind of UNSUPPORTED) {
    if (source[kind] !== undefined) throw new VolumeError(`projected volume source ${kind} is not supported`);
  }
  if (configMap !== undefined) return configMapFiles(options, pod, configMap, mode);
  if (secret !== undefined) return secretFiles(options, pod, secret, mode);
  if (downwardAPI !== undefined) return downwardFiles(options, pod, downwardAPI.items, mode);
  if (serviceAccountToken === undefined) return EMPTY;
  const { audience, expirationSeconds = DEFAULT_TOKEN_SECONDS, path } = serviceAccountToken;
  const token = await options.tokens.token(pod, audience, expirationSeconds);
  const uid = fsUserOf(pod);
  const file = { data: encodeText(token), mode: tokenMode(pod, mode ?? DEFAULT_FILE_MODE) };
  return new Map([[path, uid === undefined ? file : { ...file, uid }]]);
}

async function configMapFiles(
  options: PayloadOptions,
  pod: Pod,
  source: ConfigMapProjection,
  mode: number | undefined,
): Promise<Payload> {
  const { name = '', items, optional = false } = source;
  const found = await options.config.configMap(pod.metadata?.namespace ?? '', name);
  if (found === undefined && !optional) throw new VolumeError(`configmap "${name}" not found`);
  if (found === undefined) return EMPTY;
  return bounded(configMapPayload(found, { items, optional, defaultMode: mode ?? DEFAULT_FILE_MODE }));
}

async function secretFiles(
  options: PayloadOptions,
  pod: Pod,
  source: SecretProjection,
  mode: number | undefined,
): Promise<Payload> {
  const { name = '', items, optional = false } = source;
  const found = await options.config.secret(pod.metadata?.namespace ?? '', name);
  if (found === undefined && !optional) throw new VolumeError(`secret "${name}" not found`);
  if (found === undefined) return EMPTY;
  return bounded(secretPayload(found, { items, optional, defaultMode: mode ?? DEFAULT_FILE_MODE }));
}

function downwardFiles(
  options: PayloadOptions,
  pod: Pod,
  items: readonly DownwardAPIVolumeFile[] | undefined,
  mode: number | undefined,
): Payload {
  return new Map(
    (items ?? []).map((item) => [
      item.path,
      { data: encodeText(downwardValue(options, pod, item)), mode: item.mode ?? mode ?? DEFAULT_FILE_MODE },
    ]),
  );
}

function downwardValue(options: PayloadOptions, pod: Pod, item: DownwardAPIVolumeFile): string {
  if (item.fieldRef !== undefined) {
    const runtime = { podIps: [], hostIps: [], nodeName: options.nodeName };
    const value = podFieldValue(pod, item.fieldRef.fieldPath, runtime);
    if (value === undefined) throw new VolumeError(`unsupported fieldPath: ${item.fieldRef.fieldPath}`);
    return value;
  }
  if (item.resourceFieldRef === undefined) throw new VolumeError(`no source for downward API file ${item.path}`);
  return resourceFieldValue(pod, undefined, item.resourceFieldRef, options.nodeResources());
}

function bounded(payload: Payload): Payload {
  let bytes = 0;
  for (const { data } of payload.values()) bytes += data.length;
  if (bytes > MAX_PAYLOAD_BYTES) throw new VolumeError(`volume content of ${bytes} bytes is too large`);
  return payload;
}
