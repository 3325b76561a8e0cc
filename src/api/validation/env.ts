/** Validation of a container's environment (upstream `ValidateEnv`, `ValidateEnvFrom`). */
import { child, type FieldError, index, invalidValue, notSupported, required } from '../field-error.ts';
import { checkConfigMapKey, checkDns1123Subdomain, checkEnvVarName } from '../names.ts';
import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from '../types.gen.ts';
import { checkValue, requireValue } from './messages.ts';

const ENV_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
/** Fields that a pod converts, wherever they may then be used. */
const CONVERTIBLE = new Set([
  ...ENV_FIELDS,
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

const RESOURCES = [
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
];
const CPU_DIVISORS = ['1m', '1'];
const MEMORY_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

export function validateEnv(variables: readonly EnvVar[] | undefined, path: string): FieldError[] {
  return (variables ?? []).flatMap((variable, position) => {
    const at = index(path, position);
    return [
      ...requireValue(child(at, 'name'), variable.name, checkEnvVarName),
      ...validateValueFrom(variable, child(at, 'valueFrom')),
    ];
  });
}

function validateValueFrom(variable: EnvVar, path: string): FieldError[] {
  const source = variable.valueFrom;
  if (source === undefined) return [];
  const errors = validateSources(source, path);
  const count = Object.keys(source).length;
  if (count === 0) {
    const text =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    errors.push(invalidValue(path, '', text));
  } else if (variable.value) errors.push(invalidValue(path, '', 'may not be specified when `value` is not empty'));
  else if (count > 1) errors.push(invalidValue(path, '', 'may not have more than one field specified at a time'));
  return errors;
}

function validateSources(source: EnvVarSource, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (source.fieldRef !== undefined)
    errors.push(...validateFieldRef(source.fieldRef, ENV_FIELDS, child(path, 'fieldRef')));
  if (source.resourceFieldRef !== undefined) {
    errors.push(...validateResourceFieldRef(source.resourceFieldRef, false, child(path, 'resourceFieldRef')));
  }
  if (source.configMapKeyRef !== undefined)
    errors.push(...validateKeyRef(source.configMapKeyRef, child(path, 'configMapKeyRef')));
  if (source.secretKeyRef !== undefined)
    errors.push(...validateKeyRef(source.secretKeyRef, child(path, 'secretKeyRef')));
  if (source.fileKeyRef !== undefined) errors.push(...validateFileKeyRef(source.fileKeyRef, child(path, 'fileKeyRef')));
  return errors;
}

/** A reference to a field of the pod; `allowed` are the ones that fit the place, besides single labels and annotations. */
export function validateFieldRef(
  reference: ObjectFieldSelector,
  allowed: readonly string[],
  path: string,
): FieldError[] {
  if (!reference.apiVersion) return [required(child(path, 'apiVersion'))];
  if (!reference.fieldPath) return [required(child(path, 'fieldPath'))];
  const field = child(path, 'fieldPath');
  const subscript = /^(metadata\.(?:labels|annotations))\['(.*)'\]$/.exec(reference.fieldPath);
  if (subscript !== null) return subscript[2] === '' ? [invalidValue(field, reference.fieldPath, 'invalid key')] : [];
  if (!CONVERTIBLE.has(reference.fieldPath)) {
    return [
      invalidValue(
        field,
        reference.fieldPath,
        `error converting fieldPath: field label not supported: ${reference.fieldPath}`,
      ),
    ];
  }
  return allowed.includes(reference.fieldPath) ? [] : [notSupported(field, reference.fieldPath, allowed.toSorted())];
}

/** A reference to a container's requests or limits; in a volume it must name the container. */
export function validateResourceFieldRef(
  reference: ResourceFieldSelector,
  inVolume: boolean,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (inVolume && !reference.containerName) errors.push(required(child(path, 'containerName')));
  if (!reference.resource) errors.push(required(child(path, 'resource')));
  else if (!RESOURCES.includes(reference.resource) && !/^(limits|requests)\.hugepages-/.test(reference.resource)) {
    errors.push(notSupported(child(path, 'resource'), reference.resource, RESOURCES));
  }
  return [...errors, ...validateDivisor(reference, path)];
}

/** Upstream compares spellings, not values: "+1" is refused. */
function validateDivisor(reference: ResourceFieldSelector, path: string): FieldError[] {
  const { divisor = '0' } = reference;
  const resource = reference.resource ?? '';
  const cpu = resource.endsWith('.cpu');
  if (divisor === '0' || (cpu ? CPU_DIVISORS : MEMORY_DIVISORS).includes(divisor)) return [];
  const name = resource.slice(resource.indexOf('.') + 1);
  const values = cpu ? '1m and 1' : MEMORY_DIVISORS.join(', ');
  const text = `only divisor's values ${values} are supported with the ${name} resource`;
  return [invalidValue(child(path, 'divisor'), resource, text)];
}

function validateKeyRef(reference: ConfigMapKeySelector, path: string): FieldError[] {
  return [
    ...requireValue(child(path, 'name'), reference.name, checkDns1123Subdomain),
    ...requireValue(child(path, 'key'), reference.key, checkConfigMapKey),
  ];
}

function validateFileKeyRef(reference: FileKeySelector, path: string): FieldError[] {
  return [
    ...requireValue(child(path, 'key'), reference.key, checkEnvVarName),
    ...requireValue(child(path, 'volumeName'), reference.volumeName),
    ...requireValue(child(path, 'path'), reference.path),
  ];
}

export function validateEnvFrom(sources: readonly EnvFromSource[] | undefined, path: string): FieldError[] {
  return (sources ?? []).flatMap((source, position) => {
    const at = index(path, position);
    const references = (['configMapRef', 'secretRef'] as const).filter((name) => source[name] !== undefined);
    const errors = source.prefix ? checkValue(child(at, 'prefix'), source.prefix, checkEnvVarName) : [];
    for (const name of references) {
      errors.push(...requireValue(child(at, name, 'name'), source[name]?.name, checkDns1123Subdomain));
    }
    if (references.length === 0)
      errors.push(invalidValue(at, '', 'must specify one of: `configMapRef` or `secretRef`'));
    if (references.length > 1)
      errors.push(invalidValue(at, '', 'may not have more than one field specified at a time'));
    return errors;
  });
}
