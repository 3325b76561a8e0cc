/** One request on a resource, as what answers it sees it. */
import { badRequest, type Ipv4Range, type ResourceRow, type RuleEngine } from '../api/index.ts';
import type { Clock, HttpRequest, Logger, NodeConnections, OriginConnections, Random, UserInfo } from './ports.ts';
import type { Breather, HttpResponse, UpgradeResponse } from '../lib/index.ts';
import type { AdmissionSettings } from './admission/settings.ts';
import type { Authorizer } from './authorization/authorizer.ts';
import type { ObjectForm } from './http/negotiate.ts';
import type { Rendering } from './http/render.ts';
import type { AuthorizedResource } from './authorization/authorize-request.ts';
import type { NodeFiguresCache } from './metrics-api/node-figures-cache.ts';
import { managerName, type Writer } from './registry/owners.ts';
import { keyOf, type Registration } from './registry/registration.ts';
import type { ResourceName, ServedRows } from './registry/served-rows.ts';
import type { ResourceStorage } from './registry/storage.ts';
import type { NodePortRecords } from './services/node-port-records.ts';
import type { TokenSigner } from './tokens/token-signer.ts';
import type { KeyedLines } from '../lib/index.ts';

export interface ServerPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** To be asked for a pause between the pieces of long work. */
  readonly breather: Breather;
}

/** From the server to kubelets and pods. */
export interface OutwardConnections {
  readonly node: NodeConnections;
  /** Absent: pods cannot be reached. */
  readonly origin: OriginConnections | undefined;
  /** What nodes and pods use, as their kubelets say. */
  readonly figures: NodeFiguresCache;
}

/** What services get beside their objects. */
export interface ServiceHoldings {
  /** The range of addresses of the setting. */
  readonly range: Ipv4Range;
  readonly nodePorts: NodePortRecords;
}

/** What holds for all writes. */
export interface WriteRules {
  readonly admission: AdmissionSettings;
  /** For what must be given out once. */
  readonly exclusive: KeyedLines;
  /** What rules in CEL mean. */
  readonly rules: RuleEngine;
}

/** The context that all requests share. */
export interface ServerContext {
  readonly ports: ServerPorts;
  readonly connections: OutwardConnections;
  readonly authorizer: Authorizer;
  /** Absent: no tokens are made or believed, and none are mounted into pods. */
  readonly tokens: TokenSigner | undefined;
  readonly writes: WriteRules;
  readonly services: ServiceHoldings;
  /** The kinds that are served. */
  readonly registry: Registry;
  storageOf(registration: StoredKind): ResourceStorage;
}

/** A request on a kind, authorized. */
export interface Asked {
  readonly server: ServerContext;
  readonly request: HttpRequest;
  readonly info: AuthorizedResource;
  readonly user: UserInfo;
  /** Grows as the request is read; sent as Warning headers. */
  readonly warnings: string[];
}

/** Answers a request on objects that are stored. Throws `StatusError`. */
export type Handler = (call: Call) => Promise<HttpResponse>;

/** The same for a request that asks to change its protocol. */
export type UpgradeHandler = (call: Call) => Promise<UpgradeResponse>;

/** What answers a subresource. */
export interface Part {
  /** By verb. */
  readonly verbs: Readonly<Record<string, Handler>>;
  readonly upgrade?: UpgradeHandler;
}

/** A kind whose objects are stored, with what answers for it. */
export interface StoredKind extends Registration {
  /** Its subresources by name, beside `status` and `scale`, which are the same for all kinds whose row has them. */
  readonly parts?: Readonly<Record<string, Part>>;
  /** Where its objects are; absent: in the server's storage of its key prefix. */
  readonly storage?: ResourceStorage;
}

/** Everything that is known of a kind. */
export interface ServedKind {
  readonly row: ResourceRow;
  /** How its objects are stored; absent: none are. */
  readonly stored?: StoredKind;
  /** Answers in place of the verbs on stored objects. Undefined: this is nothing that can be asked of the kind. */
  readonly answer?: (asked: Asked) => HttpResponse | Promise<HttpResponse> | undefined;
  /** The kind is no part of the OpenAPI documents: another server has it elsewhere, and its own documents. */
  readonly isUndescribed?: boolean;
  /** The kind answers who knows its path, and is in no list of what there is. */
  readonly isHidden?: boolean;
}

/** The kinds that are served now. */
export interface Registry extends ServedRows {
  /** Counts the changes: what is derived from the kinds is as old as the number that it was made at. */
  readonly generation: number;
  /** The kind of a path; undefined: none is served there. */
  kindOf(name: ResourceName): ServedKind | undefined;
  /** How objects of a path are stored; undefined: none are. */
  find(name: ResourceName): StoredKind | undefined;
  /** The same of a kind that every server has. Throws for another. */
  get(name: ResourceName): StoredKind;
  /** Every kind whose objects are stored. */
  all(): readonly StoredKind[];
  /** Every kind that the OpenAPI documents describe. */
  describedRows(): readonly ResourceRow[];
  /** Calls `listener` after each change. The returned function ends that. */
  onChange(listener: () => void): () => void;
}

export interface Call extends Asked {
  readonly registration: StoredKind;
  readonly storage: ResourceStorage;
}

/** The key of the object that the path names. */
export function keyOfCall(call: Call): string {
  const { name, namespace } = call.info;
  if (name === undefined) throw badRequest('a name is needed');
  return keyOf(call.registration, namespace, name);
}

/** The name in the path; only for verbs on one object. */
export function nameOfCall(call: Call): string {
  return call.info.name ?? '';
}

/** The field manager of a write: the one that it names, else the program that sent it. */
export function managerOf({ info, request }: Asked): string {
  return managerName(info.query.get('fieldManager'), request.headers['user-agent']);
}

/** The owner of what a change of an object, or of a part of it, changes. */
export function writerOf(call: Asked): Writer {
  return { name: managerOf(call), subresource: call.info.subresource ?? '' };
}

/** How an answer to this call is written. */
export function renderingOf(call: Call, form: ObjectForm): Rendering {
  return { registration: call.registration, form, query: call.info.query, now: call.server.ports.clock.now().wall };
}
