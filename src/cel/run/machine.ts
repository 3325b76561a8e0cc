/**
 * Runs the instructions of an expression, a given number at a time. Errors are values here: `false && error` is false, and every other call
 * with an error has that error as its result (upstream: interpreter). Pure.
 */
import { accepts, type Overload } from '../library/overload.ts';
import { entryAt, itemAt } from '../library/standard.ts';
import { selectOptional } from '../library/optionals.ts';
import { ArrayList, EntryMap } from '../values/containers.ts';
import { NotOfType } from '../values/json.ts';
import {
  CelError,
  isList,
  isMap,
  type ListValue,
  type MapValue,
  NO_OVERLOAD,
  Optional,
  typeNameOf,
  type Value,
} from '../values/value.ts';
import { callCost, LIST_COST, MAP_COST, resultCost, sizeOf } from './actual-cost.ts';
import type { Callee, Code, Instruction } from './code.ts';

/** What names stand for; undefined for a name that has no value. */
export type Activation = (name: string) => Value | undefined;

/** Upstream's words when the cost of an evaluation is beyond its limit. */
export const COST_EXCEEDED = 'operation cancelled: actual cost limit exceeded';

type Slot = Value | CelError;

interface Loop {
  readonly keys: readonly Value[] | undefined;
  readonly list: ListValue | undefined;
  readonly map: MapValue | undefined;
  readonly size: number;
  index: number;
}

export class Machine {
  /** What the evaluation has cost so far. */
  cost = 0;
  #stack: Slot[] = [];
  readonly #locals: Slot[];
  readonly #loops: Loop[] = [];
  readonly #instructions: readonly Instruction[];
  readonly #activation: Activation;
  readonly #limit: number;
  #next = 0;
  #result: Slot | undefined;

  constructor(code: Code, activation: Activation, limit: number) {
    this.#instructions = code.instructions;
    this.#locals = Array.from<Slot>({ length: code.slots }).fill(null);
    this.#activation = activation;
    this.#limit = limit;
  }

  /** Runs at most `count` instructions; the result when there is one. */
  advance(count: number): Slot | undefined {
    try {
      for (let step = 0; step < count && this.#result === undefined; step++) {
        const instruction = this.#instructions[this.#next++];
        if (instruction === undefined) this.#result = this.#pop();
        else this.#run(instruction);
        if (this.cost > this.#limit) this.#result = new CelError(COST_EXCEEDED);
      }
    } catch (error) {
      if (!(error instanceof NotOfType)) throw error;
      this.#result = new CelError(error.message);
    }
    return this.#result;
  }

  #pop(): Slot {
    return this.#stack.pop() ?? null;
  }

  #push(value: Slot): void {
    this.#stack.push(value);
  }

  #run(instruction: Instruction): void {
    switch (instruction.op) {
      case 'constant':
        this.#push(instruction.value);
        return;
      case 'variable':
        this.cost += instruction.cost;
        this.#push(resolve(this.#activation, instruction.name));
        return;
      case 'local':
        this.cost += instruction.cost;
        this.#push(this.#locals[instruction.slot] ?? null);
        return;
      case 'store':
        this.#locals[instruction.slot] = this.#pop();
        return;
      case 'select':
        this.cost += instruction.cost;
        this.#push(select(this.#pop(), instruction.field));
        return;
      case 'has':
        this.cost += instruction.cost;
        this.#push(has(this.#pop(), instruction.field));
        return;
      case 'call':
        this.#push(this.#call(instruction.callee));
        return;
      case 'index': {
        this.cost += instruction.cost;
        const key = this.#pop();
        this.#push(at(this.#pop(), key, instruction.isOptional));
        return;
      }
      default:
        this.#control(instruction);
    }
  }

  #control(instruction: Instruction): void {
    switch (instruction.op) {
      case 'list':
        this.cost += LIST_COST;
        this.#push(makeList(this.#take(instruction.count), instruction.optional));
        return;
      case 'map':
        this.cost += MAP_COST;
        this.#push(makeMap(this.#take(instruction.count * 2), instruction.optional));
        return;
      case 'jump':
        this.#next = instruction.to;
        return;
      case 'short':
        if (this.#stack.at(-1) === instruction.value) this.#next = instruction.to;
        return;
      case 'logic': {
        const right = this.#pop();
        this.#push(combine(this.#pop(), right, instruction.value));
        return;
      }
      case 'notStrictlyFalse':
        this.#push(this.#pop() !== false);
        this.cost += 1;
        return;
      case 'branch':
        this.#branch(instruction.otherwise, instruction.end);
        return;
      default:
        this.#loop(instruction);
    }
  }

  #branch(otherwise: number, end: number): void {
    const test = this.#pop();
    if (test === true) return;
    if (test === false) {
      this.#next = otherwise;
      return;
    }
    this.#push(test instanceof CelError ? test : NO_OVERLOAD);
    this.#next = end;
  }

  #loop(instruction: Instruction): void {
    switch (instruction.op) {
      case 'loop': {
        const range = this.#pop();
        const loop = loopOver(range);
        if (loop instanceof CelError) {
          this.#push(loop);
          this.#next = instruction.end;
        } else this.#loops.push(loop);
        return;
      }
      case 'next':
        this.#turn(instruction.slots, instruction.done);
        return;
      case 'while':
        // Only a condition that is false ends the loop; others are true or errors.
        if (this.#pop() === false) this.#next = instruction.done;
        return;
      case 'endLoop':
        this.#loops.pop();
        return;
      default:
    }
  }

  #turn([first, second]: readonly [number, number | undefined], done: number): void {
    const loop = this.#loops.at(-1);
    if (loop === undefined || loop.index >= loop.size) {
      this.#next = done;
      return;
    }
    const index = loop.index++;
    const { list, map } = loop;
    if (list !== undefined) {
      this.#locals[first] = second === undefined ? list.get(index) : BigInt(index);
      if (second !== undefined) this.#locals[second] = list.get(index);
    } else {
      const key = loop.keys?.[index] ?? null;
      this.#locals[first] = key;
      if (second !== undefined) this.#locals[second] = map?.get(key) ?? null;
    }
  }

  #take(count: number): readonly Slot[] {
    return count === 0 ? [] : this.#stack.splice(this.#stack.length - count, count);
  }

  #call(callee: Callee): Slot {
    const args = this.#take(callee.count);
    const failed = args.find((arg) => arg instanceof CelError);
    if (failed !== undefined) {
      this.cost += 1;
      return failed;
    }
    const values = args as readonly Value[];
    const overload = chooseOverload(callee.candidates, values);
    if (overload === undefined) {
      this.cost += 1;
      return noOverload(callee.fn, values);
    }
    if (!callee.isFree) this.cost += callCost(callee.fn, overload.id, values);
    if (this.cost > this.#limit) return NO_OVERLOAD;
    const result = overload.run(...values);
    if (!(result instanceof CelError)) this.cost += resultCost(callee.fn, result);
    return result;
  }
}

function resolve(activation: Activation, name: string): Slot {
  const value = activation(name);
  return value === undefined ? new CelError(`no such attribute(s): ${name}`) : value;
}

function chooseOverload(candidates: readonly Overload[], values: readonly Value[]): Overload | undefined {
  for (const candidate of candidates) {
    const { params } = candidate;
    let fits = params.length === values.length;
    for (let index = 0; fits && index < params.length; index++) {
      const type = params[index];
      fits = type !== undefined && accepts(type, values[index] as Value);
    }
    if (fits) return candidate;
  }
  return undefined;
}

function noOverload(fn: string, values: readonly Value[]): CelError {
  return new CelError(`no such overload: ${fn}(${values.map(typeNameOf).join(', ')})`);
}

function select(operand: Slot, field: string): Slot {
  if (operand instanceof CelError) return operand;
  if (operand instanceof Optional) return selectOptional(operand, field);
  return typeof operand === 'object' && operand !== null && isMap(operand) ? entryAt(operand, field) : NO_OVERLOAD;
}

function has(operand: Slot, field: string): Slot {
  if (operand instanceof CelError) return operand;
  if (operand instanceof Optional) return operand.value !== undefined && has(operand.value, field);
  if (operand === null || typeof operand !== 'object' || !isMap(operand)) return NO_OVERLOAD;
  return operand.get(field) !== undefined;
}

function at(operand: Slot, key: Slot, isOptional: boolean): Slot {
  if (operand instanceof CelError) return operand;
  if (key instanceof CelError) return key;
  if (operand instanceof Optional) return operand.value === undefined ? Optional.none : chosen(operand.value, key);
  return isOptional ? chosen(operand, key) : found(operand, key);
}

function found(operand: Value, key: Value): Slot {
  if (typeof operand !== 'object' || operand === null) return NO_OVERLOAD;
  if (isList(operand)) return itemAt(operand, key);
  return isMap(operand) ? entryAt(operand, key) : NO_OVERLOAD;
}

function chosen(operand: Value, key: Value): Slot {
  if (operand instanceof Optional) return at(operand, key, true);
  const value = found(operand, key);
  if (!(value instanceof CelError)) return new Optional(value);
  return value === NO_OVERLOAD ? value : Optional.none;
}

/** `&&` with `value` false, `||` with true: that value decides whatever the other side is. */
function combine(left: Slot, right: Slot, value: boolean): Slot {
  if (right === value || left === value) return value;
  if (left instanceof CelError) return left;
  if (right instanceof CelError) return right;
  return typeof left === 'boolean' && typeof right === 'boolean' ? !value : NO_OVERLOAD;
}

function makeList(items: readonly Slot[], optional: ReadonlySet<number>): Slot {
  const values: Value[] = [];
  for (const [index, item] of items.entries()) {
    if (item instanceof CelError) return item;
    if (!optional.has(index)) values.push(item);
    else if (!(item instanceof Optional))
      return new CelError('cannot initialize optional list element from non-optional value');
    else if (item.value !== undefined) values.push(item.value);
  }
  return new ArrayList(values);
}

function makeMap(parts: readonly Slot[], optional: ReadonlySet<number>): Slot {
  const pairs: (readonly [Value, Value])[] = [];
  for (let index = 0; index < parts.length; index += 2) {
    const key = parts[index] as Slot;
    const value = parts[index + 1] as Slot;
    if (key instanceof CelError) return key;
    if (value instanceof CelError) return value;
    if (!optional.has(index / 2)) pairs.push([key, value]);
    else if (!(value instanceof Optional))
      return new CelError('cannot initialize optional entry from non-optional value');
    else if (value.value !== undefined) pairs.push([key, value.value]);
  }
  return EntryMap.of(pairs);
}

function loopOver(range: Slot): Loop | CelError {
  if (range instanceof CelError) return range;
  if (typeof range === 'object' && range !== null) {
    const size = sizeOf(range);
    if (isList(range)) return { keys: undefined, list: range, map: undefined, size, index: 0 };
    if (isMap(range)) return { keys: [...range.keys()], list: undefined, map: range, size, index: 0 };
  }
  return new CelError(`got '${typeNameOf(range)}', expected iterable type`);
}
