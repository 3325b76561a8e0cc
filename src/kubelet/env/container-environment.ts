/**
 * The environment of one container, by upstream's precedence (kubelet makeEnvironmentVariables): service variables lose
 * against envFrom, envFrom against env, and of two equal names the later one wins. A value of env expands `$(NAME)` from
 * what stands before it.
 */
import type { ConfigMap, EnvFromSource, EnvVar, EnvVarSource, Secret, Service } from '../../api/index.ts';
import { BoundedMap, decodeText, errorMessage } from '../../lib/index.ts';
import { base64Bytes } from '../base64.ts';
import type {
  ApiServerAddress,
  ContainerEnvironment,
  EnvironmentInput,
  EnvironmentResolver,
  PodEvents,
} from '../types.ts';
import { type ChosenServices, chooseServices, leftOutMessage } from './choose-services.ts';
import type { ConfigSource } from './config-source.ts';
import { isEnvironmentName, skippedKeysMessage } from './env-names.ts';
import { EnvironmentError } from './environment-error.ts';
import {
  bounded,
  type EnvironmentSize,
  textBytes,
  tooLargeMessage,
  totalBytes,
  wordSizes,
} from './environment-size.ts';
import { expand } from './expand.ts';
import { podFieldValue } from './field-ref.ts';
import { resourceFieldValue } from './resource-field-ref.ts';
import type { KnownServices } from './known-services.ts';
import { serviceEnvironment } from './service-environment.ts';
import {
  MAX_SERVICE_BYTES,
  MAX_STRING_BYTES,
  MAX_TOLD_CONTAINERS,
  MAX_TOTAL_BYTES,
  MAX_WITH_SERVICES_BYTES,
} from './limits.ts';
import { OwnVariables } from './own-variables.ts';
import { apiService, type EnvironmentVariable, linkedServices, variablesOf } from './service-links.ts';

export interface EnvironmentOptions {
  readonly config: ConfigSource;
  readonly events: PodEvents;
  /**
   * The address at which pods reach the API server. Absent: they cannot reach it, and a wrong address would be worse than
   * none.
   */
  readonly apiServer: ApiServerAddress | undefined;
  readonly services: Pick<KnownServices, 'list'>;
}

export function createEnvironmentResolver(options: EnvironmentOptions): EnvironmentResolver {
  const told = new BoundedMap<string, string>(MAX_TOLD_CONTAINERS);
  const events: PodEvents = {
    ...options.events,
    // A fact that holds at each of a container's starts is reported once.
    pod: (pod, type, reason, message, fieldPath) => {
      const key = `${pod.metadata?.uid ?? ''} ${reason} ${fieldPath ?? ''}`;
      if (told.get(key) === message) return;
      told.set(key, message);
      options.events.pod(pod, type, reason, message, fieldPath);
    },
  };
  return {
    resolve: async (input) => {
      try {
        return await resolveContainerEnvironment(options, input, events);
      } catch (error) {
        // If an answer is missing (a missing object, an API server that is away), the container waits and says why.
        return { ok: false, message: errorMessage(error) };
      }
    },
  };
}

/** @param once reports a problem of a container, once */
async function resolveContainerEnvironment(
  options: EnvironmentOptions,
  input: EnvironmentInput,
  once: PodEvents,
): Promise<ContainerEnvironment> {
  const { container, pod } = input;
  const known = await apiServerVariables(options);
  const services = pod.spec?.enableServiceLinks === false ? [] : linkedServices(await options.services.list(), pod);
  const links = chooseServices(services, MAX_SERVICE_BYTES);
  const service = new Map([...known, ...links.variables].map(({ name, value }) => [name, value]));
  const own = new OwnVariables();
  const lookup = (name: string): string | undefined => own.get(name) ?? service.get(name);
  for (const [position, source] of (container.envFrom ?? []).entries())
    await addAll(options, input, source, own, position);
  for (const [position, variable] of (container.env ?? []).entries()) {
    const from = `env[${position}]`;
    const value = await valueOf(options, input, variable, lookup, from);
    if (value !== undefined) own.set(variable.name, value, from);
  }
  const words = {
    command: expandAll('command', container.command, lookup),
    args: expandAll('args', container.args, lookup),
  };
  const sizes = {
    variables: own.sizes(),
    words: [...wordSizes('command', words.command), ...wordSizes('args', words.args)],
  };
  const kept = withRoomFor(sizes, services, links);
  tell(input, once, kept.leftOut, sizes);
  const merged = new Map([
    ...[...known, ...kept.variables].map(({ name, value }) => [name, value] as const),
    ...own.entries(),
  ]);
  return {
    ok: true,
    env: [...merged].map(([name, value]) => ({ name, value })),
    ...words,
    expand: (text) => expandStrictly(text, lookup),
  };
}

/** Those of its service where the node routes to it, else those of the server itself. */
async function apiServerVariables({
  apiServer,
  services,
}: EnvironmentOptions): Promise<readonly EnvironmentVariable[]> {
  if (apiServer === undefined) return [];
  if (apiServer.serviceRouteWorks?.() !== true) return serviceEnvironment(apiServer);
  const service = apiService(await services.list());
  const routed = service === undefined ? [] : variablesOf(service);
  return routed.length === 0 ? serviceEnvironment(apiServer) : routed;
}

/** Fewer services where the container's own variables are many. */
function withRoomFor(sizes: EnvironmentSize, services: readonly Service[], links: ChosenServices): ChosenServices {
  const room = MAX_WITH_SERVICES_BYTES - totalBytes(sizes);
  return room >= MAX_SERVICE_BYTES ? links : chooseServices(services, Math.max(0, room));
}

/** Events of what was left out, and of what the kernel may refuse. */
function tell(
  { pod, container }: EnvironmentInput,
  events: PodEvents,
  leftOut: readonly string[],
  sizes: EnvironmentSize,
) {
  const path = `spec.containers{${container.name}}`;
  if (leftOut.length > 0) {
    events.pod(pod, 'Warning', 'ServiceEnvironmentTruncated', leftOutMessage(container.name, leftOut), path);
  }
  const tooLarge = tooLargeMessage(container.name, sizes);
  if (tooLarge !== undefined) events.pod(pod, 'Warning', 'EnvironmentTooLarge', tooLarge, path);
}

function expandAll(
  field: string,
  texts: readonly string[] | undefined,
  lookup: (name: string) => string | undefined,
): readonly string[] {
  let left = MAX_TOTAL_BYTES;
  return (texts ?? []).map((text, position) => {
    const expanded = bounded(`${field}[${position}]`, () => expand(text, lookup, MAX_STRING_BYTES));
    left -= textBytes(expanded);
    if (left < 0) throw new EnvironmentError(`${field} is longer than ${MAX_TOTAL_BYTES} bytes once expanded`);
    return expanded;
  });
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
  from: string,
): Promise<string | undefined> {
  const { value = '' } = variable;
  if (value !== '') return bounded(`${from} (${variable.name})`, () => expand(value, lookup, MAX_STRING_BYTES));
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
  into: OwnVariables,
  position: number,
): Promise<void> {
  const namespace = input.pod.metadata?.namespace ?? '';
  const ref = source.configMapRef ?? source.secretRef;
  if (ref === undefined) return;
  const kind = source.configMapRef === undefined ? 'secret' : 'configMap';
  const name = ref.name ?? '';
  const read = kind === 'configMap' ? configMapData : secretData;
  const data = await read(options.config, namespace, name, ref.optional ?? false);
  const skipped: string[] = [];
  const from = `envFrom[${position}] (${kind} ${namespace}/${name})`;
  for (const [key, value] of Object.entries(data ?? {})) {
    const variable = `${source.prefix ?? ''}${key}`;
    if (isEnvironmentName(variable)) into.set(variable, value, from);
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
