/** The statements of nft that our router writes, as data. */

/** A part of a packet, or of the connection that it belongs to. */
export type Field =
  | 'ip saddr'
  | 'ip daddr'
  | 'meta l4proto'
  | 'meta mark'
  | 'th dport'
  | 'fib saddr type'
  | 'fib daddr type'
  | 'ct state'
  | 'ct status'
  | 'ct direction'
  | 'ct reply ip saddr'
  | 'iifname';

export type Expression =
  /** "ip daddr . meta l4proto . th dport" */
  | { readonly is: 'fields'; readonly fields: readonly Field[] }
  /** "meta mark and 0x4000" */
  | { readonly is: 'mark'; readonly operator: 'and' | 'or'; readonly bits: number }
  | { readonly is: 'random'; readonly modulo: number };

/** What an expression is compared with. */
export type Right =
  | { readonly is: 'set'; readonly set: string }
  | { readonly is: 'list'; readonly values: readonly string[] };

export type Verdict =
  | { readonly does: 'goto' | 'jump'; readonly chain: string }
  | { readonly does: 'drop' | 'accept' | 'return' };

export type Step =
  | { readonly does: 'match'; readonly left: Expression; readonly isEqual: boolean; readonly right: Right }
  | Verdict
  | { readonly does: 'reject' | 'masquerade' }
  | { readonly does: 'vmap'; readonly left: Expression; readonly map: string | ReadonlyMap<string, Verdict> }
  | { readonly does: 'mark'; readonly operator: 'and' | 'or'; readonly bits: number }
  | { readonly does: 'update'; readonly set: string; readonly field: Field }
  | { readonly does: 'dnat'; readonly to: string | { readonly left: Expression; readonly map: string } };

export interface Rule {
  readonly text: string;
  readonly steps: readonly Step[];
}

export interface Hook {
  readonly type: 'nat' | 'filter';
  readonly hook: 'prerouting' | 'output' | 'forward' | 'postrouting';
  readonly priority: number;
}

export interface SetWish {
  /** "ipv4_addr . inet_proto" */
  readonly key: readonly string[];
  /** Of a map: "verdict", "ipv4_addr . inet_service"; undefined: it is a set. */
  readonly value: string | undefined;
  readonly isInterval: boolean;
  /** Its elements end after that time. */
  readonly timeoutSeconds: number | undefined;
}

/** The value is '' in a set. */
export type ElementList = readonly (readonly [key: string, value: string])[];

export type Command =
  | { readonly verb: 'add' | 'delete'; readonly what: 'table'; readonly table: string }
  | {
      readonly verb: 'add';
      readonly what: 'set';
      readonly table: string;
      readonly name: string;
      readonly wish: SetWish;
    }
  | { readonly verb: 'delete'; readonly what: 'set'; readonly table: string; readonly name: string }
  | {
      readonly verb: 'add';
      readonly what: 'chain';
      readonly table: string;
      readonly name: string;
      readonly hook: Hook | undefined;
    }
  | { readonly verb: 'flush' | 'delete'; readonly what: 'chain'; readonly table: string; readonly name: string }
  | { readonly verb: 'add'; readonly what: 'rule'; readonly table: string; readonly name: string; readonly rule: Rule }
  | {
      readonly verb: 'add' | 'delete';
      readonly what: 'element';
      readonly table: string;
      readonly name: string;
      readonly elements: ElementList;
    };

/** The text has a word that our router never wrote before. The oracle must learn it, or it would lie. */
export class UnknownWord extends Error {
  override readonly name = 'UnknownWord';
}
