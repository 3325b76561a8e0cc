/**
 * LimitRanger: containers that say nothing get the namespace's defaults, and nothing may be smaller or larger than it allows.
 * Pure.
 */
import {
  compareQuantities,
  type Container,
  forbidden,
  type LimitRange,
  type LimitRangeItem,
  parseQuantity,
  type Pod,
  podLimits,
  podRequests,
  PODS,
  type PodSpec,
  type Quantity,
} from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';

type Quantities = Readonly<Record<string, Quantity>>;

/** `ranges`: those of the pod's namespace. */
export function admitLimitRanges(object: ApiObject, ranges: readonly LimitRange[]): ApiObject {
  const { spec } = object as Pod;
  if (spec === undefined || ranges.length === 0) return object;
  const items = ranges.flatMap((range) => range.spec?.limits ?? []);
  const admitted = withDefaults(object, spec, items);
  refuseOutsideLimits(admitted, ranges);
  return admitted;
}

/** Throws 403 with all that is too small or too large. */
export function refuseOutsideLimits(object: ApiObject, ranges: readonly LimitRange[]): void {
  const { spec } = object as Pod;
  if (spec === undefined || ranges.length === 0) return;
  const problems = problemsOf(
    spec,
    ranges.flatMap((range) => range.spec?.limits ?? []),
  );
  if (problems.length === 0) return;
  const text = problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;
  throw forbidden(PODS, object.metadata.name ?? '', text);
}

function withDefaults(object: ApiObject, spec: PodSpec, items: readonly LimitRangeItem[]): ApiObject {
  const limits = mergeLists(items, 'default');
  const requests = mergeLists(items, 'defaultRequest');
  const notes: string[] = [];
  const complete =
    (kind: string) =>
    (container: Container): Container => {
      const { resources = {} } = container;
      const addedLimits = missing(limits, resources.limits);
      const addedRequests = missing(requests, resources.requests);
      const says = (list: Quantities, word: string): void => {
        const names = Object.keys(list).sort();
        if (names.length > 0) notes.push(`${names.join(', ')} ${word} for ${kind} ${container.name}`);
      };
      says(addedRequests, 'request');
      says(addedLimits, 'limit');
      if (Object.keys(addedLimits).length + Object.keys(addedRequests).length === 0) return container;
      return {
        ...container,
        resources: {
          ...resources,
          ...nonEmpty('limits', { ...resources.limits, ...addedLimits }),
          ...nonEmpty('requests', { ...resources.requests, ...addedRequests }),
        },
      };
    };
  const initContainers = spec.initContainers?.map(complete('init container'));
  const containers = (spec.containers ?? []).map(complete('container'));
  if (notes.length === 0) return object;
  const annotations = { ...object.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}` };
  return {
    ...object,
    metadata: { ...object.metadata, annotations },
    spec: { ...spec, containers, ...(initContainers === undefined ? {} : { initContainers }) },
  };
}

function mergeLists(items: readonly LimitRangeItem[], list: 'default' | 'defaultRequest'): Quantities {
  return Object.assign({}, ...items.filter(({ type }) => type === 'Container').map((item) => item[list])) as Quantities;
}

function missing(defaults: Quantities, own: Quantities | undefined): Quantities {
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => own?.[name] === undefined));
}

function nonEmpty(name: 'limits' | 'requests', list: Quantities): object {
  return Object.keys(list).length === 0 ? {} : { [name]: list };
}

function problemsOf(spec: PodSpec, items: readonly LimitRangeItem[]): string[] {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  return items.flatMap((item) => {
    if (item.type === 'Pod') return problemsOfItem(item, podRequests(spec), podLimits(spec));
    if (item.type !== 'Container') return [];
    return containers.flatMap(({ resources = {} }) =>
      problemsOfItem(item, resources.requests ?? {}, resources.limits ?? {}),
    );
  });
}

function problemsOfItem(item: LimitRangeItem, requests: Quantities, limits: Quantities): string[] {
  const { type, min = {}, max = {}, maxLimitRequestRatio = {} } = item;
  return [
    ...Object.entries(min).flatMap(([name, least]) => minProblem(name, type, least, requests[name], limits[name])),
    ...Object.entries(max).flatMap(([name, most]) => maxProblem(name, type, most, requests[name], limits[name])),
    ...Object.entries(maxLimitRequestRatio).flatMap(([name, most]) =>
      ratioProblem(name, type, most, requests[name], limits[name]),
    ),
  ];
}

type Given = Quantity | undefined;

function minProblem(name: string, type: string, least: Quantity, request: Given, limit: Given): string[] {
  const text = `minimum ${name} usage per ${type} is ${least}`;
  if (request === undefined) return [`${text}.  No request is specified`];
  if (compareQuantities(request, least) < 0) return [`${text}, but request is ${request}`];
  return limit !== undefined && compareQuantities(limit, least) < 0 ? [`${text}, but limit is ${limit}`] : [];
}

function maxProblem(name: string, type: string, most: Quantity, request: Given, limit: Given): string[] {
  const text = `maximum ${name} usage per ${type} is ${most}`;
  if (limit === undefined) return [`${text}.  No limit is specified`];
  if (compareQuantities(limit, most) > 0) return [`${text}, but limit is ${limit}`];
  return request !== undefined && compareQuantities(request, most) > 0 ? [`${text}, but request is ${request}`] : [];
}

function ratioProblem(name: string, type: string, most: Quantity, request: Given, limit: Given): string[] {
  const text = `${name} max limit to request ratio per ${type} is ${most}`;
  if (request === undefined || parseQuantity(request).nano === 0n)
    return [`${text}, but no request is specified or request is 0`];
  if (limit === undefined || parseQuantity(limit).nano === 0n)
    return [`${text}, but no limit is specified or limit is 0`];
  const ratio = Number(parseQuantity(limit).nano) / Number(parseQuantity(request).nano);
  return ratio > Number(parseQuantity(most).nano) / 1e9 ? [`${text}, but provided ratio is ${ratio.toFixed(6)}`] : [];
}
