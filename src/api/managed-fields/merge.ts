/** What a live object becomes when a configuration is applied to it, by the topology of its schema (upstream: typed/merge.go). */
import { elementOfItem } from './list-items.ts';
import type { PathElement } from './path-element.ts';
import type { ListPlace, MapPlace, Place } from './place.ts';
import { setOwn } from '../schema/set-own.ts';
import { type Fields, isFields, memberOf, shapeAt } from './value.ts';

/** Pure. The configuration wins wherever both have a value; parts of `live` that it does not name stay. */
export function mergeObjects(live: unknown, config: unknown, place: Place): unknown {
  if (config === undefined) return live;
  if (live === undefined) return config;
  const shape = shapeAt(place, config);
  if (shape !== shapeAt(place, live)) return config;
  if (shape === 'list' && place.list !== undefined) return mergeLists(live, config, place.list);
  if (shape === 'map' && place.map !== undefined) return mergeMaps(live, config, place.map);
  return config;
}

function mergeMaps(live: unknown, config: unknown, map: MapPlace): unknown {
  const before = isFields(live) ? live : {};
  const wanted = isFields(config) ? config : {};
  if (map.isAtomic || (isEmpty(before) && isEmpty(wanted))) return config;
  const merged: Record<string, unknown> = {};
  for (const name of Object.keys(before)) setOwn(merged, name, mergeField(before, wanted, name, map));
  for (const name of Object.keys(wanted)) {
    if (!Object.hasOwn(before, name)) setOwn(merged, name, wanted[name]);
  }
  return merged;
}

function mergeField(before: Fields, wanted: Fields, name: string, map: MapPlace): unknown {
  const place = map.child(name);
  const config = memberOf(wanted, name);
  return place === undefined ? (config ?? before[name]) : mergeObjects(before[name], config, place);
}

function isEmpty(fields: Fields): boolean {
  return Object.keys(fields).length === 0;
}

function mergeLists(live: unknown, config: unknown, list: ListPlace): unknown {
  const before = Array.isArray(live) ? live : [];
  const wanted = Array.isArray(config) ? config : [];
  if (list.type === 'atomic' || (before.length === 0 && wanted.length === 0)) return config;
  return mergeItems(named(before, list), named(wanted, list), list.element);
}

interface Item {
  readonly element: PathElement;
  readonly value: unknown;
}

function named(items: readonly unknown[], list: ListPlace): Item[] {
  return items.flatMap((value) => {
    const found = elementOfItem(list, value);
    return 'problem' in found ? [] : [{ element: found.element, value }];
  });
}

/**
 * Items that both lists have come in the configuration's order. Those that only the live list has keep their place among their
 * neighbours as far as that allows. An element that the live list has twice and the configuration names is replaced as a whole.
 */
function mergeItems(live: readonly Item[], config: readonly Item[], place: Place): unknown[] {
  const wanted = new Map(config.map((item) => [item.element, item.value]));
  const counts = Map.groupBy(live, (item) => item.element);
  const before = (element: PathElement): unknown => {
    const same = counts.get(element);
    return same?.length === 1 ? same[0]?.value : undefined;
  };
  const shared = config.filter((item) => counts.has(item.element)).map((item) => item.element);
  const merged: unknown[] = [];
  const done = new Set<PathElement>();
  let next = 0;
  const take = (element: PathElement): void => {
    merged.push(mergeObjects(before(element), wanted.get(element), place));
    done.add(element);
    if (shared[next] === element) next += 1;
  };
  let [at, to] = [0, 0];
  while (at < live.length || to < config.length) {
    const left = live[at];
    const right = config[to];
    if (left !== undefined && right !== undefined) {
      if (left.element === right.element) {
        take(left.element);
        at += 1;
        to += 1;
        continue;
      }
      if (wanted.has(left.element) && next < shared.length && shared[next] !== left.element) {
        at += 1;
        continue;
      }
    }
    if (left !== undefined) {
      if (!wanted.has(left.element)) {
        merged.push(left.value);
        at += 1;
        continue;
      }
      if (done.has(left.element)) {
        at += 1;
        continue;
      }
    }
    if (right !== undefined) {
      if (!done.has(right.element)) take(right.element);
      to += 1;
    } else at += 1;
  }
  return merged;
}
