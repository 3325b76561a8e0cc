/** CustomResourceDefinition (apiextensions.k8s.io/v1) and the names that belong to it. Pure. */
import type { JsonSchema } from '../structural/json-schema.ts';
import type { ObjectMeta } from '../types.gen.ts';

export const APIEXTENSIONS_GROUP = 'apiextensions.k8s.io';

export interface CustomResourceDefinition {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec: DefinitionSpec;
  readonly status?: DefinitionStatus;
}

export interface DefinitionSpec {
  readonly group: string;
  readonly names: DefinitionNames;
  /** "Namespaced" or "Cluster". */
  readonly scope: string;
  readonly versions: readonly DefinitionVersion[];
  readonly conversion?: Conversion;
  readonly preserveUnknownFields?: boolean;
}

export interface DefinitionNames {
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly kind: string;
  readonly listKind?: string;
  readonly categories?: readonly string[];
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema };
  readonly subresources?: { readonly status?: object; readonly scale?: ScalePaths };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

export interface Conversion {
  /** "None" or "Webhook". */
  readonly strategy: string;
  readonly webhook?: {
    readonly clientConfig?: WebhookClient;
    readonly conversionReviewVersions: readonly string[];
  };
}

/** How a webhook is reached: by its URL, or through a Service. */
export interface WebhookClient {
  readonly url?: string;
  readonly service?: WebhookService;
  /** PEM in base64; absent: the authorities of the system. */
  readonly caBundle?: string;
}

export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  /** Default: 443. */
  readonly port?: number;
}

export interface DefinitionCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface DefinitionStatus {
  readonly conditions?: readonly DefinitionCondition[];
  readonly acceptedNames?: DefinitionNames;
  readonly storedVersions?: readonly string[];
  readonly observedGeneration?: number;
}

/** The finalizer that holds a definition until the objects of its kind are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** The versions of a definition as it was sent: none, when it has a null in their place. */
export function definedVersions({
  versions,
}: {
  readonly versions?: readonly DefinitionVersion[] | null;
}): readonly DefinitionVersion[] {
  return versions ?? [];
}

/** The version that objects are stored in; undefined for a definition that names none, which validation refuses. */
export function storageVersionOf({ spec }: CustomResourceDefinition): string | undefined {
  return definedVersions(spec).find(({ storage }) => storage)?.name;
}

/** The definition with the names and the conversion that follow from others (upstream: SetDefaults). In place. */
export function setDefinitionDefaults(draft: object): void {
  const { spec } = draft as { spec?: { names?: Record<string, unknown>; conversion?: Record<string, unknown> } };
  if (spec === undefined) return;
  spec.names ??= {};
  const { names } = spec;
  const kind = typeof names['kind'] === 'string' ? names['kind'] : '';
  if (!names['singular'] && kind !== '') names['singular'] = kind.toLowerCase();
  if (!names['listKind'] && kind !== '') names['listKind'] = `${kind}List`;
  spec.conversion ??= { strategy: 'None' };
  const service = (spec.conversion['webhook'] as { clientConfig?: { service?: { port?: number } } } | undefined)
    ?.clientConfig?.service;
  if (service !== undefined) service.port ??= 443;
}

const VERSION = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;

/**
 * Orders versions as discovery lists them (upstream: version.CompareKubeAwareVersionStrings): v2, v1, v1beta2, v1beta1, v1alpha1, and
 * then all others by the alphabet.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [VERSION.exec(a), VERSION.exec(b)];
  if (left === null || right === null) {
    if (left !== null || right !== null) return left === null ? 1 : -1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  const rank = (stage: string | undefined): number => (stage === undefined ? 2 : stage === 'beta' ? 1 : 0);
  return (
    rank(right[2]) - rank(left[2]) || Number(right[1]) - Number(left[1]) || Number(right[3] ?? 0) - Number(left[3] ?? 0)
  );
}
