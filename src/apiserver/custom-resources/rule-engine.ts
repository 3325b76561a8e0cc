/**
 * Rules in CEL of structural schemas: where they stand, which values they see, what they may cost (upstream: apiextensions-apiserver,
 * pkg/apiserver/schema/cel). The language itself is in the room `cel`.
 */
import {
  additionalOf,
  equalJson,
  type FieldError,
  fieldPath,
  forbiddenField,
  invalidValue,
  itemsOf,
  type JsonSchema,
  keyOfItem,
  propertyOf,
  required,
  type RuleEngine,
  typeOf,
  type ValidationRule,
} from '../../api/index.ts';
import {
  type Activation,
  BOOL,
  cardinalityOf,
  cardinalityWithout,
  CelError,
  compile,
  type DeclaredType,
  declaredTypeOf,
  ESTIMATE_PER_DEFINITION,
  ESTIMATE_PER_RULE,
  estimateProblem,
  type Evaluation,
  isCostExceeded,
  isFailure,
  Optional,
  PER_CALL_LIMIT,
  PER_OBJECT_LIMIT,
  type Program,
  run,
  type SchemaOfValues,
  STRING,
  valueOfJson,
} from '../../cel/index.ts';
import type { Clock } from '../ports.ts';
import { isRecord } from '../registry/object.ts';
import { ruleTextErrors } from './rule-texts.ts';

/** `clock`: evaluations give way to other work on it. */
export function celRuleEngine(clock: Clock): RuleEngine {
  return {
    problems: (schema, path) => {
      const walk: Definition = { errors: [], total: 0 };
      define(schema, { path, isRoot: true, counts: [], uncorrelated: undefined }, walk);
      const text = estimateProblem(
        'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema',
        walk.total,
        ESTIMATE_PER_DEFINITION,
      );
      return text === undefined ? walk.errors : [...walk.errors, forbiddenField(path, text)];
    },
    check: async (schema, object, old) => {
      const walk: Check = { clock, errors: [], left: PER_OBJECT_LIMIT };
      await visit(schema, { value: object, old, path: '', isRoot: true }, walk);
      return walk.errors;
    },
  };
}

interface Definition {
  readonly errors: FieldError[];
  total: number;
}

interface SchemaPlace {
  readonly path: string;
  readonly isRoot: boolean;
  /** How many values the lists and maps on the way may have. */
  readonly counts: readonly (number | undefined)[];
  /** The path of the list above whose members have no former form. */
  readonly uncorrelated: string | undefined;
}

function define(schema: JsonSchema, place: SchemaPlace, walk: Definition): void {
  for (const [position, each] of rulesOf(schema).entries())
    defineRule(schema, each, { ...place, path: `${place.path}.x-kubernetes-validations[${position}]` }, walk);
  const below = { ...place, isRoot: false };
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    define(property, { ...below, path: `${place.path}.properties[${name}]` }, walk);
  const counts = [...place.counts, cardinalityOf(schema as SchemaOfValues)];
  const [items, additional] = [itemsOf(schema), additionalOf(schema)];
  const isMapList = schema['x-kubernetes-list-type'] === 'map';
  const uncorrelated = place.uncorrelated ?? (isMapList ? undefined : place.path);
  if (items !== undefined) define(items, { ...below, counts, uncorrelated, path: `${place.path}.items` }, walk);
  if (additional !== undefined)
    define(additional, { ...below, counts, path: `${place.path}.additionalProperties` }, walk);
}

function rulesOf(schema: JsonSchema): readonly ValidationRule[] {
  return schema['x-kubernetes-validations'] ?? [];
}

function defineRule(schema: JsonSchema, each: ValidationRule, place: SchemaPlace, walk: Definition): void {
  const { path, uncorrelated } = place;
  const texts = ruleTextErrors(schema, each, path);
  walk.errors.push(...texts);
  if (each.rule.trim() === '') return;
  const type = typeOfNode(schema, place.isRoot);
  if (type === undefined) {
    walk.errors.push(invalidValue(`${path}.rule`, each.rule, 'a rule needs a schema with a type'));
    return;
  }
  const compiled = compileRule(each, type);
  const { program, message } = compiled;
  if ('problem' in program) {
    walk.errors.push(invalidValue(`${path}.rule`, each.rule, program.problem));
    return;
  }
  const usesOld = program.variables.has('oldSelf');
  if (usesOld && uncorrelated !== undefined)
    walk.errors.push(
      invalidValue(
        `${path}.rule`,
        each.rule,
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`,
      ),
    );
  if (each.optionalOldSelf !== undefined && !usesOld)
    walk.errors.push(
      invalidValue(`${path}.optionalOldSelf`, each.optionalOldSelf, 'may not be set if oldSelf is not used in rule'),
    );
  const often = place.counts.includes(undefined)
    ? cardinalityWithout(type)
    : place.counts.reduce<number>((product, count) => product * (count ?? 1), 1);
  walk.errors.push(...costErrors(`${path}.rule`, 'estimated rule cost', program, often, walk));
  if (message === undefined) return;
  if ('problem' in message)
    walk.errors.push(
      invalidValue(`${path}.messageExpression`, each.messageExpression, `messageExpression ${message.problem}`),
    );
  else
    walk.errors.push(
      ...costErrors(`${path}.messageExpression`, 'estimated messageExpression cost', message, often, walk),
    );
}

function costErrors(path: string, name: string, program: Program, often: number, walk: Definition): FieldError[] {
  const cost = program.estimate.max * often;
  walk.total += cost;
  const text = estimateProblem(name, cost, ESTIMATE_PER_RULE);
  return text === undefined ? [] : [forbiddenField(path, text)];
}

function typeOfNode(schema: JsonSchema, isRoot: boolean): DeclaredType | undefined {
  const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  return declaredTypeOf(schema as SchemaOfValues, isResource);
}

type Compiled = Program | { readonly problem: string };

interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program: Compiled;
  readonly message: Compiled | undefined;
}

function compileRule(rule: ValidationRule, type: DeclaredType): CompiledRule {
  const variables = {
    self: { declared: type },
    oldSelf: { declared: type, ...(rule.optionalOldSelf === true ? { isOptional: true } : {}) },
  };
  const program = compile(rule.rule, { variables, result: BOOL });
  const text = rule.messageExpression ?? '';
  const message = text === '' ? undefined : compile(text, { variables, result: STRING });
  return {
    rule,
    program: isFailure(program) ? { problem: problemOf(program.text) } : program,
    message: message !== undefined && isFailure(message) ? { problem: problemOf(message.text) } : message,
  };
}

function problemOf(text: string): string {
  return text.startsWith('must evaluate to')
    ? `cel expression ${text.replace('to bool', 'to a bool')}`
    : `compilation failed: ${text}`;
}

interface CompiledNode {
  readonly type: DeclaredType | undefined;
  readonly rules: readonly CompiledRule[];
}

/** Compiled when an object needs them for the first time; a definition that changes brings other schemas. */
const compiledNodes = new WeakMap<JsonSchema, CompiledNode>();

function compiledOf(schema: JsonSchema, isRoot: boolean): CompiledNode {
  const known = compiledNodes.get(schema);
  if (known !== undefined) return known;
  const type = typeOfNode(schema, isRoot);
  const rules = type === undefined ? [] : rulesOf(schema).map((each) => compileRule(each, type));
  const made = { type, rules };
  compiledNodes.set(schema, made);
  return made;
}

interface Check {
  readonly clock: Clock;
  readonly errors: FieldError[];
  /** What the rules of this object may still cost. Negative: nothing more is run. */
  left: number;
}

interface ValuePlace {
  readonly value: unknown;
  /** The former form; undefined: there is none. */
  readonly old: unknown;
  readonly path: string;
  readonly isRoot: boolean;
}

async function visit(schema: JsonSchema, place: ValuePlace, walk: Check): Promise<void> {
  const { value, old, path } = place;
  if (value === null || value === undefined || walk.left < 0) return;
  if (rulesOf(schema).length > 0) await checkRules(schema, place, walk);
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (items === undefined || !mayHaveRules(items)) return;
    const keys = schema['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : undefined;
    const before = new Map(
      keys === undefined || !Array.isArray(old) ? [] : old.map((item: unknown) => [keyOfItem(item, keys), item]),
    );
    for (const [position, item] of value.entries()) {
      const former = keys === undefined ? undefined : before.get(keyOfItem(item, keys));
      await visit(items, { value: item, old: former, path: `${path}[${position}]`, isRoot: false }, walk);
    }
  } else if (isRecord(value)) {
    const additional = additionalOf(schema);
    for (const name of Object.keys(value)) {
      const known = propertyOf(schema, name) ?? additional;
      if (known === undefined || !mayHaveRules(known)) continue;
      const former = isRecord(old) && Object.hasOwn(old, name) ? old[name] : undefined;
      await visit(known, { value: value[name], old: former, path: fieldPath(path, name), isRoot: false }, walk);
    }
  }
}

/** Whether the node or any below it has rules: most parts of most schemas have none. */
const ruled = new WeakMap<JsonSchema, boolean>();

function mayHaveRules(schema: JsonSchema): boolean {
  const known = ruled.get(schema);
  if (known !== undefined) return known;
  const below = [...Object.values(schema.properties ?? {}), itemsOf(schema), additionalOf(schema)];
  const found = rulesOf(schema).length > 0 || below.some((each) => each !== undefined && mayHaveRules(each));
  ruled.set(schema, found);
  return found;
}

async function checkRules(schema: JsonSchema, place: ValuePlace, walk: Check): Promise<void> {
  const { type, rules } = compiledOf(schema, place.isRoot);
  if (type === undefined) return;
  const isSame = place.old !== undefined && equalJson(place.value, place.old);
  for (const each of rules) {
    const { program, rule } = each;
    if ('problem' in program) {
      walk.errors.push(invalidValue(place.path, typeOf(place.value), `rule compile error: ${program.problem}`));
      continue;
    }
    const isTransition = program.variables.has('oldSelf');
    if (isTransition && rule.optionalOldSelf !== true && (place.old === undefined || place.old === null)) continue;
    // What did not change is not held against a rule that it may have broken before.
    if (!isTransition && isSame) continue;
    const activation = activationOf(type, place, rule.optionalOldSelf === true);
    const limit = Math.min(PER_CALL_LIMIT, walk.left);
    const result = await run(program, activation, { clock: walk.clock, limit });
    walk.left -= result.cost;
    if (result.value === true) continue;
    walk.errors.push(await ruleError(each, result, { place, activation, walk }));
    if (walk.left >= 0 && !(isCostExceeded(result) && limit < PER_CALL_LIMIT)) continue;
    walk.left = -1;
    walk.errors.push(
      invalidValue(
        place.path,
        typeOf(place.value),
        'validation failed due to running out of cost budget, no further validation rules will be run',
      ),
    );
    return;
  }
}

function activationOf(type: DeclaredType, { value, old }: ValuePlace, isOptional: boolean): Activation {
  return (name) => {
    if (name === 'self') return valueOfJson(value, type);
    if (name !== 'oldSelf') return undefined;
    if (!isOptional) return valueOfJson(old, type);
    return old === undefined || old === null ? Optional.none : new Optional(valueOfJson(old, type));
  };
}

interface Broken {
  readonly place: ValuePlace;
  readonly activation: Activation;
  readonly walk: Check;
}

async function ruleError(each: CompiledRule, result: Evaluation, broken: Broken): Promise<FieldError> {
  const { rule } = each;
  const { path, value } = broken.place;
  const kind = typeOf(value);
  if (isCostExceeded(result))
    return invalidValue(
      path,
      kind,
      `no further validation rules will be run due to call cost exceeds limit for rule: ${rule.rule}`,
    );
  if (result.value instanceof CelError)
    return invalidValue(path, kind, `rule evaluation error: ${result.value.message} evaluating rule: ${rule.rule}`);
  const text = (await messageOf(each, broken)) ?? rule.message?.trim();
  const detail = text === undefined || text === '' ? `failed rule: ${rule.rule.trim()}` : text;
  return reasonedError(rule.reason, path + (rule.fieldPath ?? ''), kind, detail);
}

/** The text of a messageExpression; undefined: it has none, or one that is no single line. */
async function messageOf({ message }: CompiledRule, { activation, walk }: Broken): Promise<string | undefined> {
  if (message === undefined || 'problem' in message) return undefined;
  const limit = Math.max(0, Math.min(PER_CALL_LIMIT, walk.left));
  const { value, cost } = await run(message, activation, { clock: walk.clock, limit });
  walk.left -= cost;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' || text.includes('\n') ? undefined : text;
}

function reasonedError(reason: string | undefined, given: string, kind: string, detail: string): FieldError {
  const path = given.startsWith('.') ? given.slice(1) : given;
  switch (reason ?? '') {
    case 'FieldValueForbidden':
      return forbiddenField(path, detail);
    case 'FieldValueRequired':
      return required(path, detail);
    case 'FieldValueDuplicate':
      return { type: 'FieldValueDuplicate', field: path, body: `Duplicate value: ${JSON.stringify(kind)}` };
    default:
      return invalidValue(path, kind, detail);
  }
}
