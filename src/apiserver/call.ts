/** One request on a resource, as the verbs see it. */
import { badRequest, type Ipv4Range } from '../api/index.ts';
import type { Clock, HttpRequest, Logger, NodeConnections, OriginConnections, Random, UserInfo } from './ports.ts';
import type { Breather } from '../lib/index.ts';
import type { AdmissionSettings } from './admission/settings.ts';
import type { Authorizer } from './authorization/authorizer.ts';
import type { ObjectForm } from './http/negotiate.ts';
import type { Rendering } from './http/render.ts';
import type { AuthorizedResource } from './authorization/authorize-request.ts';
import { keyOf, type Registration } from './registry/registration.ts';
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
}

/** What services get beside their objects. */
export interface ServiceHoldings {
  /** The range of addresses of the setting. */
  readonly range: Ipv4Range;
  readonly nodePorts: NodePortRecords;
}

/** The context that all requests share. */
export interface ServerContext {
  readonly ports: ServerPorts;
  readonly connections: OutwardConnections;
  readonly authorizer: Authorizer;
  /** Absent: no tokens are made or believed, and none are mounted into pods. */
  readonly tokens: TokenSigner | undefined;
  readonly admission: AdmissionSettings;
  readonly services: ServiceHoldings;
  /** For what must be given out once. */
  readonly exclusive: KeyedLines;
  storageOf(registration: Registration): ResourceStorage;
}

export interface Call {
  readonly server: ServerContext;
  readonly request: HttpRequest;
  readonly info: AuthorizedResource;
  readonly registration: Registration;
  readonly storage: ResourceStorage;
  readonly user: UserInfo;
  /** Grows as the request is read; sent as Warning headers. */
  readonly warnings: string[];
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

/** How an answer to this call is written. */
export function renderingOf(call: Call, form: ObjectForm): Rendering {
  return { registration: call.registration, form, query: call.info.query, now: call.server.ports.clock.now().wall };
}
