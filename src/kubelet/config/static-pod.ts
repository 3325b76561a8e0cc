/**
 * Reads a static pod from its file, or the mistakes in it. Its UID is made from node, file and content, so that the same file
 * is the same pod, also to the next agent. Upstream: pkg/kubelet/config (common.go, file.go). Pure.
 */
import { YAMLException } from 'js-yaml';
import {
  applyDefaults,
  type Pod,
  type PodSpec,
  printFieldErrors,
  StatusError,
  PODS,
  validateCreate,
  validateStructure,
} from '../../api/index.ts';
import { fnv1a64, parseDocument, splitDocuments } from '../../lib/index.ts';
import { isSafeName } from '../pods/pod-paths.ts';

export const CONFIG_HASH = 'kubernetes.io/config.hash';
export const CONFIG_SEEN = 'kubernetes.io/config.seen';
export const CONFIG_SOURCE = 'kubernetes.io/config.source';
export const CONFIG_MIRROR = 'kubernetes.io/config.mirror';

export type StaticPodResult = { readonly pod: Pod } | { readonly problem: string };

export interface StaticPodInput {
  /** As people know it. */
  readonly file: string;
  readonly text: string;
  readonly nodeName: string;
  /** RFC 3339. */
  readonly seen: string;
}

/** The pod, ready to run; or the problem of the file, with its line. */
export function readStaticPod({ file, text, nodeName, seen }: StaticPodInput): StaticPodResult {
  const [document, ...more] = splitDocuments(text);
  if (document === undefined) return { problem: `${file}: holds no pod` };
  if (more.length > 0)
    return { problem: `${file}: holds more than one object; give each static pod a file of its own` };
  const place = (line: number): string => `${file}: line ${document.line + line}`;
  let value: unknown;
  try {
    value = parseDocument(document);
  } catch (error) {
    if (error instanceof YAMLException) return { problem: `${place(error.mark?.line ?? 0)}: ${error.reason}` };
    throw error;
  }
  if (!isRecord(value) || value['apiVersion'] !== 'v1' || value['kind'] !== 'Pod') {
    return { problem: `${place(0)}: a static pod is an object of apiVersion v1 and kind Pod` };
  }
  try {
    // Unknown fields are errors, since nobody would read warnings about a file.
    const { object } = validateStructure<Pod>('v1', 'Pod', value, 'Strict');
    const pod = applyDefaults(PODS, withIdentity(object, { file, nodeName, seen, content: JSON.stringify(value) }));
    const uid = pod.metadata?.uid ?? '';
    // The UID becomes the name of a folder; for other pods the server makes it.
    if (!isSafeName(uid))
      return { problem: `${place(0)}: metadata.uid: Invalid value: ${JSON.stringify(uid)}: must be a plain name` };
    const errors = validateCreate(PODS, pod);
    if (errors.length > 0) return { problem: `${place(0)}: ${printFieldErrors(errors)}` };
    const reference = apiReference(pod.spec);
    if (reference !== undefined) return { problem: `${place(0)}: static pods may not reference ${reference}` };
    return { pod };
  } catch (error) {
    if (error instanceof StatusError) return { problem: `${place(0)}: ${error.message}` };
    throw error;
  }
}

interface Identity extends Omit<StaticPodInput, 'text'> {
  /** The pod as it was read: what later releases fill in must not change the UID. */
  readonly content: string;
}

function withIdentity(given: Pod, { file, nodeName, seen, content }: Identity): Pod {
  const { metadata = {} } = given;
  const name = `${metadata.name ?? ''}-${nodeName.toLowerCase()}`;
  const uid = metadata.uid ?? contentUid(content, file, nodeName);
  const tolerations = given.spec?.tolerations ?? [];
  return {
    ...given,
    metadata: {
      ...metadata,
      name,
      namespace: metadata.namespace ?? 'default',
      uid,
      annotations: { ...metadata.annotations, [CONFIG_HASH]: uid, [CONFIG_SEEN]: seen, [CONFIG_SOURCE]: 'file' },
    },
    spec: {
      ...(given.spec ?? { containers: [] }),
      nodeName,
      // The taints of a sick node are no matter of its static pods.
      tolerations: [...tolerations, { operator: 'Exists', effect: 'NoExecute' }],
    },
  };
}

/** 128 bits in hexadecimal, as upstream's are. */
function contentUid(content: string, file: string, nodeName: string): string {
  const text = JSON.stringify([nodeName, file, content]);
  const half = (of: string): string => fnv1a64(of).padStart(16, '0');
  return half(text) + half(`again ${text}`);
}

/** Features that a pod without an API object cannot have (upstream: HasAPIObjectReference). */
function apiReference(spec: PodSpec | undefined): string | undefined {
  if (spec === undefined) return undefined;
  if (spec.serviceAccountName !== undefined && spec.serviceAccountName !== '') return 'serviceaccounts';
  if ((spec.imagePullSecrets ?? []).length > 0) return 'secrets';
  for (const { configMap, secret, projected, persistentVolumeClaim } of spec.volumes ?? []) {
    if (configMap !== undefined) return 'configmaps';
    if (secret !== undefined) return 'secrets';
    if (persistentVolumeClaim !== undefined) return 'persistentvolumeclaims';
    for (const source of projected?.sources ?? []) {
      if (source.configMap !== undefined) return 'configmaps';
      if (source.secret !== undefined) return 'secrets';
      if (source.serviceAccountToken !== undefined) return 'serviceaccounts';
    }
  }
  for (const { env, envFrom } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    if (envFrom?.some(({ configMapRef }) => configMapRef !== undefined) === true) return 'configmaps';
    if (envFrom?.some(({ secretRef }) => secretRef !== undefined) === true) return 'secrets';
    if (env?.some(({ valueFrom }) => valueFrom?.configMapKeyRef !== undefined) === true) return 'configmaps';
    if (env?.some(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined) === true) return 'secrets';
  }
  return undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
