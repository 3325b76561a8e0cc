/**
 * The environment of one container, by upstream's precedence (kubelet makeEnvironmentVariables): service variables lose
 * against envFrom, envFrom against env, and of two equal names the later one wins. A value of env expands `$(NAME)` from
 * what stands before it.
 */
import type { ConfigMap, EnvFromSource, EnvVar, EnvVarSource, Secret } from '../../api/index.ts';
import { decodeText, errorMessage } from '../../lib/index.ts';
import { base64Bytes } from '../base64.ts';
import type { ContainerEnvironment, EnvironmentInput, EnvironmentResolver, PodEvents } from '../types.ts';
import type { ConfigSource } from './config-source.ts';
import { isEnvironmentName, skippedKeysMessage } from './env-names.ts';
import { EnvironmentError } from './environment-error.ts';
import { expand } from './expand.ts';
import { podFieldValue } from './field-ref.ts';
import { resourceFieldValue } from './resource-field-ref.ts';
import type { KnownServices } from './known-services.ts';
import { serviceEnvironment } from './service-environment.ts';
import { serviceLinks } from './service-links.ts';

export interface EnvironmentOptions {
  readonly config: ConfigSource;
  readonly events: PodEvents;
  /** Where pods reach the API server. Absent: they cannot, and a wrong address would be worse than none. */
  readonly apiServer: { readonly host: string; readonly port: number } | undefined;
  readonly services: Pick<KnownServices, 'list'>;
}

export function createEnvironmentResolver(options: EnvironmentOptions): EnvironmentResolver {
  return {
    resolve: async (input) => {
      try {
        return await resolveContainerEnvironment(options, input);
      } catch (error) {
        // Whatever kept us from the answer (a missing object, the API server away), the container waits and says why.
        return { ok: false, message: errorMessage(error) };
      }
    },
  };
}

async function resolveContainerEnvironment(
  options: EnvironmentOptions,
  input: EnvironmentInput,
): Promise<ContainerEnvironment> {
  const { container } = input;
  const links =
    input.pod.spec?.enableServiceLinks === false ? [] : serviceLinks(await options.services.list(), input.pod);
  const known = [...(options.apiServer === undefined ? [] : serviceEnvironment(options.apiServer)), ...links];
  const service = new Map(known.map(({ name, value }) => [name, value]));
  const own = new Map<string, string>();
  const lookup = (name: string): string | undefined => own.get(name) ?? service.get(name);
  for (const source of container.envFrom ?? []) await addAll(options, input, source, own);
  for (const variable of container.env ?? []) {
    const value = await valueOf(options, input, variable, lookup);
    if (value !== undefined) own.set(variable.name, value);
  }
  const merged = new Map([...service, ...own]);
  return {
    ok: true,
    env: [...merged].map(([name, value]) => ({ name, value })),
    command: (container.command ?? []).map((text) => expand(text, lookup)),
    args: (container.args ?? []).map((text) => expand(text, lookup)),
    expand: (text) => expandStrictly(text, lookup),
  };
}

function expandStrictly(text: string, lookup: (name: string) => string | undefined): string | undefined {
  let missing = false;
  const expanded = expand(text, (name) => {
    const value = lookup(name);
    missing ||= value === undefined;
    return value;
  });
  return missing ? undefined : expanded;
}

/** Value of one env entry; `undefined`: an optional reference to nothing. */
async function valueOf(
  options: EnvironmentOptions,
  input: EnvironmentInput,
  variable: EnvVar,
  lookup: (name: string) => string | undefined,
): Promise<string | undefined> {
  if (variable.value !== undefined && variable.value !== '') return expand(variable.value, lookup);
  return variable.valueFrom === undefined ? '' : referenced(options, input, variable.valueFrom);
}

async function referenced(
  options: EnvironmentOptions,
  input: EnvironmentInput,
  source: EnvVarSource,
): Promise<string | undefined> {
  const namespace = input.pod.metadata?.namespace ?? '';
  if (source.fieldRef !== undefined) {
    const value = podFieldValue(input.pod, source.fieldRef.fieldPath, input);
    if (value === undefined) throw new EnvironmentError(`unsupported fieldPath: ${source.fieldRef.fieldPath}`);
    return value;
  }
  if (source.resourceFieldRef !== undefined) {
    return resourceFieldValue(input.pod, input.container.name, source.resourceFieldRef, input.nodeAllocatable);
  }
  if (source.configMapKeyRef !== undefined) {
    const { name = '', key, optional = false } = source.configMapKeyRef;
    const data = await configMapData(options.config, namespace, name, optional);
    return pick(data, key, optional, `couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
  }
  if (source.secretKeyRef !== undefined) {
    const { name = '', key, optional = false } = source.secretKeyRef;
    const data = await secretData(options.config, namespace, name, optional);
    return pick(data, key, optional, `couldn't find key ${key} in Secret ${namespace}/${name}`);
  }
  throw new EnvironmentError('unsupported environment variable source');
}

async function addAll(
  options: EnvironmentOptions,
  input: EnvironmentInput,
  source: EnvFromSource,
  into: Map<string, string>,
): Promise<void> {
  const namespace = input.pod.metadata?.namespace ?? '';
  const ref = source.configMapRef ?? source.secretRef;
  if (ref === undefined) return;
  const kind = source.configMapRef === undefined ? 'secret' : 'configMap';
  const name = ref.name ?? '';
  const read = kind === 'configMap' ? configMapData : secretData;
  const data = await read(options.config, namespace, name, ref.optional ?? false);
  const skipped: string[] = [];
  for (const [key, value] of Object.entries(data ?? {})) {
    const variable = `${source.prefix ?? ''}${key}`;
    if (isEnvironmentName(variable)) into.set(variable, value);
    else skipped.push(variable);
  }
  if (skipped.length === 0) return;
  const message = skippedKeysMessage(kind, namespace, name, skipped);
  options.events.pod(input.pod, 'Warning', 'InvalidEnvironmentVariableNames', message);
}

function pick(
  data: Readonly<Record<string, string>> | undefined,
  key: string,
  optional: boolean,
  problem: string,
): string | undefined {
  if (data !== undefined && Object.hasOwn(data, key)) return data[key];
  if (optional) return undefined;
  throw new EnvironmentError(problem);
}

async function configMapData(
  config: ConfigSource,
  namespace: string,
  name: string,
  optional: boolean,
): Promise<Readonly<Record<string, string>> | undefined> {
  const found: ConfigMap | undefined = await config.configMap(namespace, name);
  if (found === undefined && !optional) throw new EnvironmentError(`configmap "${name}" not found`);
  return found === undefined ? undefined : (found.data ?? {});
}

async function secretData(
  config: ConfigSource,
  namespace: string,
  name: string,
  optional: boolean,
): Promise<Readonly<Record<string, string>> | undefined> {
  const found: Secret | undefined = await config.secret(namespace, name);
  if (found === undefined && !optional) throw new EnvironmentError(`secret "${name}" not found`);
  if (found === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(found.data ?? {}).map(([key, value]) => [key, decodeText(base64Bytes(value))]),
  );
}
