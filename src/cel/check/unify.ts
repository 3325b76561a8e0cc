/**
 * Which types may stand for which, and what the free ones turn out to be (upstream: checker/types). A substitution is a map from the names
 * of free types; a trial works on a copy. Pure.
 */
import { type CelType, DYN, equalTypes, listOf, mapOf, optionalOf } from '../types/type.ts';

export type Substitution = Map<string, CelType>;

export function isDynOrError(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'error';
}

/** Whether a value of type `from` may be used where `to` is expected; on success the substitution has learned from it. */
export function isAssignable(known: Substitution, from: CelType, to: CelType): boolean {
  const trial = new Map(known);
  if (!assign(trial, from, to)) return false;
  adopt(known, trial);
  return true;
}

export function areAssignable(known: Substitution, from: readonly CelType[], to: readonly CelType[]): boolean {
  const trial = new Map(known);
  if (from.length !== to.length) return false;
  for (const [index, type] of from.entries()) if (!assign(trial, type, to[index] ?? DYN)) return false;
  adopt(known, trial);
  return true;
}

function adopt(known: Substitution, trial: Substitution): void {
  for (const [name, type] of trial) known.set(name, type);
}

function assign(known: Substitution, from: CelType, to: CelType): boolean {
  if (to.kind === 'parameter') {
    const verdict = substituteParameter(known, from, to);
    if (verdict !== undefined) return verdict;
  }
  if (from.kind === 'parameter') return substituteParameter(known, to, from) ?? false;
  if (isDynOrError(from) || isDynOrError(to)) return true;
  if (from.kind === 'null') return isNullable(to);
  if (to.kind === 'null') return isNullable(from);
  return from.kind === to.kind && assignParts(known, from, to);
}

function isNullable(type: CelType): boolean {
  return ['null', 'opaque', 'optional', 'object', 'duration', 'timestamp'].includes(type.kind);
}

function assignParts(known: Substitution, from: CelType, to: CelType): boolean {
  if (from.kind === 'list' && to.kind === 'list') return assign(known, from.elem, to.elem);
  if (from.kind === 'optional' && to.kind === 'optional') return assign(known, from.elem, to.elem);
  if (from.kind === 'map' && to.kind === 'map')
    return assign(known, from.key, to.key) && assign(known, from.value, to.value);
  if (from.kind === 'type') return true;
  return equalTypes(from, to);
}

/** Whether a free type may be the given one: undefined when that contains the free type, which is then asked the other way round. */
function substituteParameter(
  known: Substitution,
  type: CelType,
  parameter: CelType & { kind: 'parameter' },
): boolean | undefined {
  if (type.kind === 'parameter' && type.name === parameter.name) return true;
  const found = known.get(parameter.name);
  if (found !== undefined) {
    if (assign(known, type, found)) {
      const general = mostGeneral(type, found);
      if (!occursIn(known, parameter, general)) known.set(parameter.name, general);
      return true;
    }
    return false;
  }
  if (occursIn(known, parameter, type)) return undefined;
  known.set(parameter.name, type);
  return true;
}

function occursIn(known: Substitution, parameter: CelType & { kind: 'parameter' }, type: CelType): boolean {
  switch (type.kind) {
    case 'parameter': {
      if (type.name === parameter.name) return true;
      const found = known.get(type.name);
      return found !== undefined && occursIn(known, parameter, found);
    }
    case 'list':
    case 'optional':
      return occursIn(known, parameter, type.elem);
    case 'map':
      return occursIn(known, parameter, type.key) || occursIn(known, parameter, type.value);
    case 'type':
      return occursIn(known, parameter, type.of);
    default:
      return false;
  }
}

export function mostGeneral(one: CelType, other: CelType): CelType {
  return isEqualOrLessSpecific(one, other) ? one : other;
}

function isEqualOrLessSpecific(one: CelType, other: CelType): boolean {
  if (isDynOrError(one) || one.kind === 'parameter') return true;
  if (isDynOrError(other) || other.kind === 'parameter') return false;
  if (one.kind !== other.kind) return false;
  if (one.kind === 'list' && other.kind === 'list') return isEqualOrLessSpecific(one.elem, other.elem);
  if (one.kind === 'optional' && other.kind === 'optional') return isEqualOrLessSpecific(one.elem, other.elem);
  if (one.kind === 'map' && other.kind === 'map') {
    return isEqualOrLessSpecific(one.key, other.key) && isEqualOrLessSpecific(one.value, other.value);
  }
  return one.kind === 'type' || equalTypes(one, other);
}

/** The type with what is known put in; with `closes`, free types that are left become dyn. */
export function substitute(known: Substitution, type: CelType, closes: boolean): CelType {
  switch (type.kind) {
    case 'parameter': {
      const found = known.get(type.name);
      if (found !== undefined) return substitute(known, found, closes);
      return closes ? DYN : type;
    }
    case 'list':
      return listOf(substitute(known, type.elem, closes));
    case 'optional':
      return optionalOf(substitute(known, type.elem, closes));
    case 'map':
      return mapOf(substitute(known, type.key, closes), substitute(known, type.value, closes));
    case 'type':
      return { kind: 'type', of: substitute(known, type.of, closes) };
    default:
      return type;
  }
}
