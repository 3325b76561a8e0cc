/** Follows the objects that troubles come from, and says which notifications a change of them concerns. */
import {
  CLUSTER_NOTIFICATIONS,
  type ClusterNotification,
  controllerOf,
  type KubeObject,
  NAMESPACES,
  namespaceOf,
  NODES,
  NOTIFICATIONS,
  PERSISTENT_VOLUME_CLAIMS,
  type NotificationNotice,
  type Pod,
  PODS,
  type Resource,
} from '../../api/index.ts';
import { type Change, type Informers, type Lister, objectKey } from '../../client/index.ts';
import type { Clock } from '../../lib/index.ts';
import { type ControllerSource, source } from '../controller.ts';
import { BY_CLAIM, BY_NODE } from '../indexes.ts';
import { claimTroubles, nodeTroubles } from './other-troubles.ts';
import { podTroubles, subjectOf } from './pod-troubles.ts';
import type { ClusterFacts } from './select-troubles.ts';
import type { SeenTrouble, Trouble } from './trouble.ts';
import { TroubleBook } from './trouble-book.ts';
import { endOfPod, endOfWorkload, type TroubleEnd } from './trouble-end.ts';

export class TroubleWatch {
  readonly facts: ClusterFacts;
  readonly sources: readonly ControllerSource[];
  readonly #book = new TroubleBook();
  readonly #clock: Clock;
  readonly #notifications: Lister<ClusterNotification>;
  readonly #clusterNotifications: Lister<ClusterNotification>;
  readonly #pods: Lister<Pod>;
  /** What has no pods, by kind. */
  readonly #others: Readonly<Record<string, Lister<KubeObject>>>;

  constructor(informers: Informers, clock: Clock) {
    this.#clock = clock;
    this.#notifications = informers.lister(NOTIFICATIONS);
    this.#clusterNotifications = informers.lister(CLUSTER_NOTIFICATIONS);
    const [pods, nodes] = [informers.lister(PODS), informers.lister(NODES)];
    const [claims, namespaces] = [informers.lister(PERSISTENT_VOLUME_CLAIMS), informers.lister(NAMESPACES)];
    this.facts = {
      podsOnNode: (node) => pods.byIndex(BY_NODE, node),
      podsOfClaim: (key) => pods.byIndex(BY_CLAIM, key),
      labelsOfNamespace: (name) => namespaces.get(undefined, name)?.metadata?.labels ?? {},
    };
    this.#pods = pods;
    this.#others = { Node: nodes, PersistentVolumeClaim: claims };
    this.sources = [
      source(NOTIFICATIONS, ({ object }) => [objectKey(object)]),
      source(CLUSTER_NOTIFICATIONS, ({ object }) => [objectKey(object)]),
      this.#troubles(PODS, podTroubles),
      this.#troubles(NODES, nodeTroubles),
      this.#troubles(PERSISTENT_VOLUME_CLAIMS, claimTroubles),
      source(NAMESPACES, () => []),
    ];
  }

  notification(key: string): ClusterNotification | undefined {
    return this.#notifications.getByKey(key) ?? this.#clusterNotifications.getByKey(key);
  }

  /** All that a Notification of a namespace, or a ClusterNotification (undefined), may be about. */
  troubles(namespace: string | undefined): readonly SeenTrouble[] {
    return namespace === undefined ? this.#book.list() : [...this.#book.list(namespace), ...this.#book.list('')];
  }

  /** How it came that a notice is over. */
  endOf({ objectKind = '', namespace = '', name = '' }: NotificationNotice): TroubleEnd {
    if (objectKind === 'Pod') return endOfPod(this.#pods.get(namespace, name));
    const lister = this.#others[objectKind];
    if (lister !== undefined) return lister.get(namespace, name) === undefined ? 'gone' : 'recovered';
    const isOwn = (pod: Pod): boolean => {
      // Most pods of a big namespace are others'.
      if (controllerOf(pod)?.name.startsWith(name) !== true) return false;
      const subject = subjectOf(pod);
      return subject.kind === objectKind && subject.name === name;
    };
    return endOfWorkload(objectKind, this.#pods.list(namespace).filter(isOwn));
  }

  #troubles<T extends KubeObject>(
    resource: Resource<T>,
    troublesOf: (object: T) => readonly Trouble[],
  ): ControllerSource {
    return source(resource, (change: Change<T>) => {
      const { object, type } = change;
      const found = type === 'delete' ? [] : troublesOf(object);
      const news = this.#book.note(resource.kind, object, found, this.#clock.now().wall);
      if (news === 'none') return [];
      const namespace = namespaceOf(object);
      const own = this.#notifications.list(namespace === '' ? undefined : namespace);
      const all = [...own, ...this.#clusterNotifications.list()];
      // What only holds others back matters to those that have told something.
      return (news === 'told' ? all : all.filter(hasOpen)).map(objectKey);
    });
  }
}

function hasOpen({ status }: ClusterNotification): boolean {
  return status?.notices?.some(({ closedTime }) => closedTime === undefined) === true;
}
