/** The meaning and the bounds of the fields of Notification and ClusterNotification. */
import {
  MAX_CLUSTER_NAME_LENGTH,
  MAX_HEADER_NAME_LENGTH,
  MAX_HEADER_VALUE_LENGTH,
  MAX_NOTICES,
  MAX_NOTIFICATION_HEADERS,
  MAX_NOTIFICATION_URL_LENGTH,
  MAX_TEST_ID_LENGTH,
} from '../notifications/limits.ts';
import { NOTIFICATION_TARGET_TYPES, NOTIFICATION_TRIGGERS } from '../notifications/types.ts';
import type { FieldDoc, TypeDoc } from './field-doc.ts';

const KIND: Readonly<Record<string, FieldDoc>> = {
  apiVersion: { text: 'The version of this form of the object.' },
  kind: { text: 'The kind of the object.' },
  metadata: { text: 'Standard metadata of the object.' },
};

const SPEC: Readonly<Record<string, FieldDoc>> = {
  selector: {
    text: 'Pods by their labels, and claims by their labels or by the pods that use them. Absent or empty: all.',
  },
  triggers: {
    text: 'What messages are sent about. GaveUp: the healing ladder of a pod has ended. NeedsHuman: a pod crashes or waits longer than patience, a rule of its policy stopped it, or its policy is invalid. NodeLost: a node with pods is not heard of. DataAtRisk: a volume is lost, or does not work. Recovered: one of these is over. Absent: all.',
    oneOf: NOTIFICATION_TRIGGERS,
    isSet: true,
    minItems: 1,
    maxItems: NOTIFICATION_TRIGGERS.length,
  },
  target: { text: 'Where messages go.', needed: true },
  cluster: { text: 'The name of this cluster in messages.', maxLength: MAX_CLUSTER_NAME_LENGTH },
  patience: {
    text: 'How long a pod may crash, or wait for what does not come, before NeedsHuman: 1s to 24h. Default: 10m.',
  },
  groupWait: { text: 'News of so long goes into one message: 0s to 1h. Default: 10s.' },
  repeatAfter: {
    text: 'What is still wrong after so long is told again: 1m to 720h. Absent: it is told once; with target type Alertmanager every 5m.',
  },
  damping: {
    text: 'Trouble must be over for so long to count as recovered: 0s to 24h. It doubles each time that the trouble comes back within an hour, so that what flaps is told once. Default: 1m.',
  },
};

export const NOTIFICATION_DOCS: Readonly<Record<string, TypeDoc>> = {
  'mendlet.v1.Notification': {
    text: 'Messages to one target when pods of this namespace, their claims or their nodes need a person, and when that is over.',
    fields: { ...KIND, spec: { text: 'What is told to whom.', needed: true }, status: { text: 'What was told.' } },
  },
  'mendlet.v1.ClusterNotification': {
    text: 'Messages to one target when pods of any namespace, their claims or any node need a person, and when that is over.',
    fields: { ...KIND, spec: { text: 'What is told to whom.', needed: true }, status: { text: 'What was told.' } },
  },
  'mendlet.v1.NotificationSpec': { text: 'What is told to whom.', fields: SPEC },
  'mendlet.v1.ClusterNotificationSpec': {
    text: 'What is told to whom. Nodes are told of whatever the selectors say.',
    fields: { ...SPEC, namespaceSelector: { text: 'Namespaces by their labels. Absent or empty: all.' } },
  },
  'mendlet.v1.NotificationTarget': {
    text: 'An HTTP server that takes messages.',
    fields: {
      type: {
        text: 'The form of the messages. Generic: JSON with all facts. Slack: an incoming webhook, which Mattermost and Rocket.Chat understand, too. Ntfy: a topic of ntfy. Alertmanager: its API v2.',
        oneOf: NOTIFICATION_TARGET_TYPES,
        needed: true,
      },
      url: {
        text: 'The address, https:// or http://. Either this or urlFrom: an address that is a secret belongs there.',
        pattern: '^[hH][tT][tT][pP][sS]?://[^/?#@]+([/?][^#]*)?$',
        maxLength: MAX_NOTIFICATION_URL_LENGTH,
      },
      urlFrom: { text: 'The address is in a Secret.' },
      headers: { text: 'Further headers of the requests.', maxItems: MAX_NOTIFICATION_HEADERS },
      caBundle: {
        text: "Authorities of the target's certificate: PEM, in base64. Absent: those of the system.",
      },
    },
  },
  'mendlet.v1.SecretSource': {
    text: 'The place of a value.',
    fields: { secretKeyRef: { text: 'A key of a Secret.', needed: true } },
  },
  'mendlet.v1.SecretRef': {
    text: 'A key of a Secret. The Secret must have the name mendlet-notifications, or the label mendlet.dev/for-notifications: "true".',
    fields: {
      name: { text: 'The name of the Secret.', maxLength: 253, fill: 'mendlet-notifications' },
      key: { text: 'The key in it.', maxLength: 253, needed: true },
      namespace: {
        text: 'The namespace of the Secret. Only in a ClusterNotification, and there it must be set.',
        maxLength: 253,
      },
    },
  },
  'mendlet.v1.NotificationHeader': {
    text: 'One header.',
    fields: {
      name: { text: 'Its name.', maxLength: MAX_HEADER_NAME_LENGTH, needed: true },
      value: { text: 'Its value. Either this or valueFrom.', maxLength: MAX_HEADER_VALUE_LENGTH },
      valueFrom: { text: 'Its value is in a Secret.' },
    },
  },
  'mendlet.v1.NotificationStatus': {
    text: 'What was told, and how that went.',
    fields: {
      observedGeneration: { text: 'The generation of the spec that this tells of.' },
      sent: { text: 'Messages that the target took.' },
      failed: { text: 'Tries that failed.' },
      dropped: { text: 'Troubles that were not told because too many others were open.' },
      open: { text: 'Troubles that are not over.' },
      lastSentTime: { text: 'When the target last took a message.' },
      lastProblem: { text: 'Why a try failed last.' },
      lastProblemTime: { text: 'When that was.' },
      notices: {
        text: 'Troubles that were told or are to be told, until an hour after their end. A restarted controller goes on from here.',
        maxItems: MAX_NOTICES,
      },
      test: { text: 'The last trial of the target (mendlet notify test).' },
      conditions: {
        text: 'Accepted: the spec can be used. Delivered: the target took the last message.',
      },
    },
  },
  'mendlet.v1.NotificationNotice': {
    text: 'One trouble.',
    fields: {
      id: { text: 'Its name in messages.' },
      trigger: { text: 'What kind of trouble it is.' },
      objectKind: { text: 'The kind of the object that has it.' },
      namespace: { text: 'The namespace of that object.' },
      name: { text: 'The name of that object.' },
      cause: { text: 'Why.' },
      since: { text: 'When it began.' },
      times: { text: 'How often it came within an hour.' },
      told: { text: 'How often it was told since it came last.' },
      toldTime: { text: 'When it was told last.' },
      endTime: { text: 'When it was over.' },
      closedTime: { text: 'When its end was told, or found to need no word.' },
    },
  },
  'mendlet.v1.NotificationTest': {
    text: 'One trial of the target.',
    fields: {
      id: { text: 'The value of the annotation that asked for it.', maxLength: MAX_TEST_ID_LENGTH },
      time: { text: 'When it was sent.' },
      delivered: { text: 'Whether the target took it.' },
      answer: { text: 'What the target answered, or why it did not.' },
    },
  },
};
