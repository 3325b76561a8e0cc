/**
 * The official conformance data of the language, all files of it. What is left out is named here with its reason; a test that is left out by
 * its name and would pass fails this test, so that the table stays true.
 */
import { tests as comprehensions } from '@bufbuild/cel-spec/testdata/comprehension.js';
import { tests as conformance } from '@bufbuild/cel-spec/testdata/conformance.js';
import { tests as checking } from '@bufbuild/cel-spec/testdata/checking.js';
import { tests as parsing } from '@bufbuild/cel-spec/testdata/parsing.js';
import { describe, expect, it } from 'vitest';
import { fromSpec, NotOffered, typeFromSpec } from './conformance.testing.ts';
import { compile, evaluate, isFailure, type Variable } from './program.ts';
import { DYN } from './types/type.ts';
import { equalValues } from './values/equality.ts';
import { CelError, type Value } from './values/value.ts';

type Json = Readonly<Record<string, unknown>>;

interface SpecTest {
  readonly name: string;
  readonly original: Json & { readonly expr: string; readonly name?: string };
  readonly error?: string;
}

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly Omit<SpecTest, 'name'>[];
}

function flatten(suite: Suite, path: readonly string[] = []): readonly SpecTest[] {
  const own = (suite.tests ?? []).map((test) => ({ ...test, name: [...path, test.original.name].join('/') }));
  return [...own, ...(suite.suites ?? []).flatMap((inner) => flatten(inner, [...path, inner.name]))];
}

/** Pattern of the test as JSON → why Kubernetes' language has it not. */
const NOT_OFFERED: readonly (readonly [RegExp, string])[] = [
  [
    /google\.protobuf\.(?!Timestamp|Duration)\w+|\b\w*(?:Int|UInt|Float|Double|String|Bool|Bytes)\d*Value\{/,
    'messages of protocol buffers',
  ],
  [/TestAll|TestRequired|GlobalEnum|NullValue|proto[23]|\bproto\./, 'messages of protocol buffers'],
  [/\bmath\./, 'library math, which Kubernetes does not offer'],
  [/\bbase64\./, 'library encoders, which Kubernetes does not offer'],
  [/cel\.(?:block|iterVar|index)/, 'a form that optimizers write, not users'],
  [/`/, 'names in backquotes, which Kubernetes does not turn on'],
  [
    /"disableCheck":true|"container":"/,
    'expressions that are not checked, or that have a container: Kubernetes has neither',
  ],
  [/"function":/, 'functions that the test declares'],
];

/** Name → why it is otherwise here. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'string_ext/value_errors/indexof_out_of_range': 'upstream answers -1 for a position beyond the end',
  'string_ext/value_errors/lastindexof_out_of_range': 'upstream answers as from the end for a position beyond it',
  'timestamps/duration_converters/get_milliseconds': 'the variable is a message; durations as messages are not made',
};

function reasonFor(test: SpecTest): string | undefined {
  const text = JSON.stringify(test.original).replaceAll('\\"', '"');
  return NOT_OFFERED.find(([pattern]) => pattern.test(text))?.[1];
}

function variablesOf(original: Json): Readonly<Record<string, Variable>> {
  const variables: Record<string, Variable> = {};
  for (const name of Object.keys(original['bindings'] ?? {})) variables[name] = { type: DYN };
  for (const declaration of (original['typeEnv'] ?? []) as readonly Json[]) {
    const ident = declaration['ident'] as Json | undefined;
    if (ident !== undefined) variables[String(declaration['name'])] = { type: typeFromSpec(ident['type'] as Json) };
  }
  return variables;
}

/** What is wrong with the outcome; undefined when it is as the data says. */
function mistakeIn({ original }: SpecTest): string | undefined {
  const bindings = new Map<string, Value>();
  for (const [name, value] of Object.entries((original['bindings'] ?? {}) as Readonly<Record<string, Json>>)) {
    bindings.set(name, fromSpec((value['value'] ?? value) as Json));
  }
  const failsAsTold = original['evalError'] !== undefined;
  const program = compile(original.expr, { variables: variablesOf(original), mixedLiterals: true });
  if (isFailure(program)) return failsAsTold ? undefined : program.text;
  if (original['checkOnly'] === true) return undefined;
  const { value } = evaluate(program, (name) => bindings.get(name));
  if (value instanceof CelError) return failsAsTold ? undefined : value.message;
  if (failsAsTold) return 'no error';
  const typed = (original['typedResult'] as Json | undefined)?.['result'];
  const wanted = fromSpec((original['value'] ?? typed ?? { boolValue: true }) as Json);
  const isSame = equalValues(value, wanted) || (Number.isNaN(value) && Number.isNaN(wanted));
  return isSame ? undefined : `${JSON.stringify(original['value'])} was expected`;
}

function outcome(test: SpecTest): string | undefined {
  try {
    return mistakeIn(test);
  } catch (error) {
    if (error instanceof NotOffered) return undefined;
    throw error;
  }
}

describe('the official conformance data', () => {
  const all = flatten(conformance as unknown as Suite).filter((test) => reasonFor(test) === undefined);

  it('has tests that apply in every part', () => {
    expect(all.length).toBeGreaterThan(1200);
  });

  it.each(all.filter(({ name }) => OTHERWISE[name] === undefined))('$name', (test) => {
    expect(outcome(test)).toBeUndefined();
  });

  it.each(Object.keys(OTHERWISE))('%s is still otherwise', (name) => {
    const test = all.find((candidate) => candidate.name === name);
    expect(test).toBeDefined();
    let mistake: unknown = 'not offered';
    try {
      mistake = test === undefined ? undefined : mistakeIn(test);
    } catch (error) {
      expect(error).toBeInstanceOf(NotOffered);
    }
    expect(mistake).toBeDefined();
  });
});

describe("upstream's own expressions with two variables", () => {
  const sources = flatten(comprehensions as unknown as Suite).map(({ original }) => original.expr);
  const programs = sources.map((source) => compile(source, { variables: {}, mixedLiterals: true }));

  it('are true, but for those that are mistakes or other examples on purpose', () => {
    const values = programs.flatMap((program) =>
      isFailure(program) ? [] : [evaluate(program, () => undefined).value],
    );
    const others = values.filter((value) => value !== true);
    expect(values.length - others.length).toBeGreaterThan(40);
    expect(others).not.toContain(false);
    expect(others.length).toBeLessThan(6);
  });
});

/** Errors after the first of a syntax, which come from upstream's recovery; and options that its tests turn off. */
const OTHER_MESSAGES =
  /\(u?int, double\)|recursion|unsupported syntax|recovery|token recognition|existsOne|extraneous|no viable|attempt/;

describe("upstream's messages", () => {
  const tests = [parsing, checking].flatMap((data) => flatten(data as unknown as Suite));
  const own = tests.filter((test) => {
    const isKnown = test.error !== undefined && !OTHER_MESSAGES.test(test.error);
    return isKnown && reasonFor(test) === undefined && test.original['typeEnv'] === undefined;
  });

  it('are many', () => {
    expect(own.length).toBeGreaterThan(50);
  });

  it.each(own)('$original.expr', ({ original, error = '' }) => {
    const program = compile(original.expr, { variables: {}, mixedLiterals: true });
    const [first = ''] = (isFailure(program) ? program.text : 'no failure').split('\nERROR');
    const [wanted = ''] = error.split('\nERROR');
    expect(first.replace('<input>', '')).toBe(wanted.replace('<input>', ''));
  });
});
