/**
 * What has to be written so that the flow control objects of the server are there as they should be (upstream: the ensurer of
 * pkg/registry/flowcontrol). Pure.
 *
 * Missing objects are made again. Mandatory ones are corrected. Suggested ones are brought up to date while the annotation
 * `apf.kubernetes.io/autoupdate-spec` says so; it is set by whether somebody has changed the spec. What an older server left behind
 * goes, unless that annotation says that an operator took it over.
 */
import { equalJson, type KubeObject } from '../../api/index.ts';

export const AUTOUPDATE = 'apf.kubernetes.io/autoupdate-spec';

/** An object of flow control: all that is looked at. */
export interface FlowObject extends KubeObject {
  readonly spec?: object;
}

export type FlowObjectStep =
  | { readonly kind: 'create' | 'update'; readonly object: FlowObject }
  /** Only while it is as it was seen. */
  | { readonly kind: 'delete'; readonly name: string; readonly uid: string; readonly resourceVersion: string };

export interface FlowObjectsInput {
  readonly stored: readonly FlowObject[];
  /** With their defaults. */
  readonly wanted: readonly FlowObject[];
  /** Names of those that nobody may change. */
  readonly mandatory: ReadonlySet<string>;
  /** Of a mandatory object, the spec that it should have: some leave a part to operators. */
  readonly correct: (wanted: FlowObject, stored: FlowObject) => object | undefined;
}

export function planFlowObjects({ stored, wanted, mandatory, correct }: FlowObjectsInput): readonly FlowObjectStep[] {
  const byName = new Map(stored.map((object) => [nameOf(object), object]));
  const names = new Set(wanted.map(nameOf));
  const steps = wanted.flatMap((object): FlowObjectStep[] => {
    const old = byName.get(nameOf(object));
    if (old === undefined) return [{ kind: 'create', object }];
    const isMandatory = mandatory.has(nameOf(object));
    const next = corrected(old, isMandatory || isOurs(old), isMandatory ? correct(object, old) : object.spec);
    return next === undefined ? [] : [{ kind: 'update', object: next }];
  });
  const left = stored.filter((object) => !names.has(nameOf(object)) && annotated(object) === true);
  return [
    ...steps,
    ...left.map(({ metadata: { name = '', uid = '', resourceVersion = '' } = {} }): FlowObjectStep => {
      return { kind: 'delete', name, uid, resourceVersion };
    }),
  ];
}

/** `follows`: its spec is the server's. Undefined: it is as it should be. */
function corrected(old: FlowObject, follows: boolean, spec: object | undefined): FlowObject | undefined {
  const isRight = !follows || equalJson(old.spec, spec);
  if (annotated(old) === follows && isRight) return undefined;
  const annotations = { ...old.metadata?.annotations, [AUTOUPDATE]: String(follows) };
  const next = { ...old, metadata: { ...old.metadata, annotations } };
  return isRight || spec === undefined ? next : { ...next, spec };
}

/** Without a word about it, a spec that was never changed is the server's. */
function isOurs(object: FlowObject): boolean {
  return annotated(object) ?? object.metadata?.generation === 1;
}

/** The texts that Go takes for truth values. */
const TRUE: readonly string[] = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE: readonly string[] = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

function annotated({ metadata }: FlowObject): boolean | undefined {
  const text = metadata?.annotations?.[AUTOUPDATE] ?? '';
  if (TRUE.includes(text)) return true;
  return FALSE.includes(text) ? false : undefined;
}

function nameOf({ metadata }: FlowObject): string {
  return metadata?.name ?? '';
}
