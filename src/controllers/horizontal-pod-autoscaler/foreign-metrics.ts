/**
 * Fetches the values of metrics that adapters of others serve: custom.metrics.k8s.io and external.metrics.k8s.io (upstream: the
 * metrics clients of pkg/controller/podautoscaler/metrics).
 */
import {
  formatLabelSelector,
  isNotFound,
  type KubeObject,
  type LabelSelector,
  labelSelectorOf,
  type MetricSpec,
  parseApiVersion,
  quantityMilliValue,
  type Resource,
  type ResourceRow,
} from '../../api/index.ts';
import type { KubeClient, ListQuery } from '../../client/index.ts';
import { errorMessage, parseTime } from '../../lib/index.ts';
import type { Fetched } from './scaling-input.ts';

const CUSTOM = 'custom.metrics.k8s.io';
/** The newer first. */
const CUSTOM_VERSIONS = ['v1beta2', 'v1beta1'];
const EXTERNAL = 'external.metrics.k8s.io';
/** The window of a value that names none (upstream: 1 min). */
const WINDOW_MS = 60_000;
/** What an adapter says that has no such metric. */
const NO_METRIC = 'the server could not find the metric';
const NOT_SERVED = 'the server could not find the requested resource';

/** One value, in each of the versions. */
interface MetricValue extends KubeObject {
  readonly describedObject?: { readonly name?: string };
  readonly timestamp?: string;
  readonly windowSeconds?: number;
  readonly window?: number;
  readonly value?: string;
}

export interface ForeignQuestion {
  readonly namespace: string;
  /** Of the target's pods. */
  readonly podSelector: string;
  /** The kinds that are served: a described object is found among them. */
  readonly kinds: readonly ResourceRow[];
}

type List = (resource: Resource<MetricValue>, query: ListQuery) => Promise<readonly MetricValue[]>;

/** The values of all metrics that need such an API. */
export async function fetchForeign(
  client: KubeClient,
  specs: readonly MetricSpec[],
  question: ForeignQuestion,
  signal: AbortSignal,
): Promise<ReadonlyMap<MetricSpec, Fetched>> {
  const list: List = async (resource, query) => (await client.list(resource, query, signal)).items;
  const values = new Map<MetricSpec, Fetched>();
  for (const spec of specs) {
    const asked = ask(list, spec, question);
    if (asked !== undefined) values.set(spec, await settled(asked, signal));
  }
  return values;
}

/** Undefined: this metric needs none of them. */
function ask(list: List, spec: MetricSpec, question: ForeignQuestion): Promise<readonly MetricValue[]> | undefined {
  const { namespace, podSelector, kinds } = question;
  if (spec.pods !== undefined) {
    const { name, selector } = spec.pods.metric;
    const query = { namespace, labelSelector: podSelector, metricLabelSelector: selectorText(selector) };
    return listCustom(list, `pods/*/${encodeURIComponent(name)}`, query);
  }
  if (spec.object !== undefined) {
    const { describedObject, metric } = spec.object;
    const query = { metricLabelSelector: selectorText(metric.selector) };
    const name = encodeURIComponent(metric.name);
    const { group } = parseApiVersion(describedObject.apiVersion ?? '');
    if (describedObject.kind === 'Namespace' && group === '')
      return listCustom(list, `namespaces/${encodeURIComponent(namespace)}/metrics/${name}`, query);
    const row = kinds.find((each) => each.group === group && each.kind === describedObject.kind);
    if (row === undefined) return noKind(describedObject.kind, group);
    const resource = group === '' ? row.resource : `${row.resource}.${group}`;
    return listCustom(list, `${resource}/${encodeURIComponent(describedObject.name)}/${name}`, { ...query, namespace });
  }
  if (spec.external === undefined) return undefined;
  const { name, selector } = spec.external.metric;
  return listExternal(list, name, { namespace, labelSelector: selectorText(selector) });
}

async function noKind(kind: string, group: string): Promise<never> {
  const text = `no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`;
  throw new Error(`unable to fetch metrics from custom metrics API: ${text}`);
}

async function listCustom(list: List, path: string, query: ListQuery): Promise<readonly MetricValue[]> {
  const api = 'custom metrics API';
  for (const version of CUSTOM_VERSIONS) {
    let items: readonly MetricValue[];
    try {
      items = await list({ ...resourceOf(CUSTOM, path, query), version }, query);
    } catch (error) {
      if (isNotServed(error)) continue;
      throw new Error(`unable to fetch metrics from ${api}: ${errorMessage(error)}`, { cause: error });
    }
    return withSome(items, api);
  }
  throw new Error(`unable to fetch metrics from ${api}: no custom metrics API (${CUSTOM}) registered`);
}

async function listExternal(list: List, name: string, query: ListQuery): Promise<readonly MetricValue[]> {
  const api = 'external metrics API';
  let items: readonly MetricValue[];
  try {
    items = await list(resourceOf(EXTERNAL, encodeURIComponent(name), query), query);
  } catch (error) {
    const problem = isNotServed(error) ? `${NOT_SERVED} (get ${name}.${EXTERNAL})` : errorMessage(error);
    throw new Error(`unable to fetch metrics from ${api}: ${problem}`, { cause: error });
  }
  return withSome(items, api);
}

function resourceOf(group: string, resource: string, { namespace }: ListQuery): Resource<MetricValue> {
  return { group, version: 'v1beta1', resource, kind: 'MetricValue', namespaced: namespace !== undefined };
}

/** The server itself knows no such path; an adapter that lacks a metric says so in other words. */
function isNotServed(error: unknown): boolean {
  return isNotFound(error) && !error.message.startsWith(NO_METRIC);
}

function withSome(items: readonly MetricValue[], api: string): readonly MetricValue[] {
  if (items.length === 0) throw new Error(`no metrics returned from ${api}`);
  return items;
}

async function settled(asked: Promise<readonly MetricValue[]>, signal: AbortSignal): Promise<Fetched> {
  try {
    const items = await asked;
    const samples = new Map(
      items.map(({ describedObject, timestamp, windowSeconds, window, value = '0' }) => {
        const seconds = windowSeconds ?? window;
        const windowMs = seconds === undefined ? WINDOW_MS : seconds * 1000;
        return [
          describedObject?.name ?? '',
          { milli: quantityMilliValue(value), at: parseTime(timestamp) ?? 0, windowMs },
        ];
      }),
    );
    return { ok: true, samples, milli: items.reduce((sum, { value = '0' }) => sum + quantityMilliValue(value), 0) };
  } catch (error) {
    if (signal.aborted) throw error;
    return { ok: false, problem: errorMessage(error) };
  }
}

function selectorText(selector: LabelSelector | undefined): string {
  return formatLabelSelector(labelSelectorOf(selector) ?? []);
}
