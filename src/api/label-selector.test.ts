import { describe, expect, it } from 'vitest';
import {
  formatLabelSelector,
  labelSelectorOf,
  matchesLabels,
  parseLabelSelector,
  SelectorError,
} from './label-selector.ts';

describe('parseLabelSelector', () => {
  it.each([
    ['', '', {}, true],
    ['a=b', 'a=b', { a: 'b' }, true],
    ['a==b', 'a=b', { a: 'c' }, false],
    ['a!=b', 'a!=b', {}, true],
    ['a!=b', 'a!=b', { a: 'b' }, false],
    ['a', 'a', { a: '' }, true],
    ['!a', '!a', { a: '' }, false],
    ['!a', '!a', {}, true],
    ['a in (b, c)', 'a in (b,c)', { a: 'c' }, true],
    ['a in (b)', 'a=b', {}, false],
    ['a notin (b,c)', 'a notin (b,c)', {}, true],
    ['a notin (b,c)', 'a notin (b,c)', { a: 'b' }, false],
    ['a=', 'a=', { a: '' }, true],
    ['a in (,b)', 'a in (,b)', { a: '' }, true],
    ['z=1,a=2', 'a=2,z=1', { a: '2', z: '1' }, true],
    ['a>5', 'a>5', { a: '6' }, true],
    ['a<5', 'a<5', { a: 'x' }, false],
    ['example.com/a=b', 'example.com/a=b', { 'example.com/a': 'b' }, true],
    ['a', 'a', JSON.parse('{"__proto__":"x"}'), false],
  ])('%j', (text, canonical, labels, matches) => {
    const selector = parseLabelSelector(text);
    expect(formatLabelSelector(selector)).toBe(canonical);
    expect(matchesLabels(selector, labels)).toBe(matches);
  });

  it.each([
    ['a,', "found '', expected: identifier after ','"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['=a', "unable to parse requirement: found '=', expected: identifier"],
    ['a=b=c', "unable to parse requirement: found '=', expected: ',' or 'end of string'"],
    ['a>x', "for 'Gt', 'Lt' operators, the value must be an integer"],
    ['a=b/c', 'unable to parse requirement: values[0][a]: Invalid value: "b/c": a valid label must be an empty string'],
    ['-a', 'unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of'],
  ])('refuses %j', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(SelectorError);
    expect(() => parseLabelSelector(text)).toThrow(message);
  });
});

describe('labelSelectorOf', () => {
  it('needs both labels and expressions', () => {
    const selector = labelSelectorOf({
      matchLabels: { a: 'b' },
      matchExpressions: [{ key: 'c', operator: 'NotIn', values: ['d'] }],
    });
    expect(matchesLabels(selector ?? [], { a: 'b' })).toBe(true);
    expect(matchesLabels(selector ?? [], { a: 'b', c: 'd' })).toBe(false);
  });

  it('matches nothing when absent and everything when empty', () => {
    expect(labelSelectorOf(undefined)).toBeUndefined();
    expect(matchesLabels(labelSelectorOf({}) ?? [], undefined)).toBe(true);
    expect(() => labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'in' }] })).toThrow(
      '"in" is not a valid label selector operator',
    );
  });
});
