/**
 * The types of our own kinds and of the values of our annotations, in the shape of the derived schema. Their TypeScript forms are in
 * `healing/types.ts`. Servers know the kinds by their definitions (`own-definitions/`), which are made of these types.
 */

const KIND = { kind: { type: 'string' }, apiVersion: { type: 'string' } };
const OBJECT = { ...KIND, metadata: { type: 'meta.v1.ObjectMeta' } };

/** The fields that both kinds of notifications have. */
const NOTIFICATION = {
  selector: { type: 'meta.v1.LabelSelector' },
  triggers: { type: '[]string' },
  target: { type: 'mendlet.v1.NotificationTarget' },
  cluster: { type: 'string' },
  patience: { type: 'duration' },
  groupWait: { type: 'duration' },
  repeatAfter: { type: 'duration' },
  damping: { type: 'duration' },
};

export const OWN_TYPES = {
  'mendlet.v1alpha1.PodRestart': {
    fields: {
      ...OBJECT,
      spec: { type: 'mendlet.v1alpha1.PodRestartSpec' },
      status: { type: 'mendlet.v1alpha1.PodRestartStatus' },
    },
  },
  'mendlet.v1alpha1.PodRestartSpec': {
    fields: {
      podName: { type: 'string' },
      podUID: { type: 'string' },
      scope: { type: 'string' },
      container: { type: 'string' },
      notBefore: { type: 'microTime' },
      reason: { type: 'string' },
      gracePeriodSeconds: { type: 'int64' },
      force: { type: 'boolean' },
      emptyDirs: { type: '[]string' },
      requestedBy: { type: 'string' },
      ttlSecondsAfterFinished: { type: 'int32' },
    },
  },
  'mendlet.v1alpha1.PodRestartStatus': {
    fields: {
      phase: { type: 'string' },
      reason: { type: 'string' },
      message: { type: 'string' },
      podUID: { type: 'string' },
      nodeName: { type: 'string' },
      startTime: { type: 'microTime' },
      completionTime: { type: 'microTime' },
      observedGeneration: { type: 'int64' },
    },
  },
  'mendlet.v1alpha1.HealingPolicy': {
    fields: {
      ...OBJECT,
      spec: { type: 'mendlet.v1alpha1.HealingPolicySpec' },
      status: { type: 'mendlet.v1alpha1.HealingPolicyStatus' },
    },
  },
  'mendlet.v1alpha1.HealingPolicySpec': {
    fields: {
      selector: { type: 'meta.v1.LabelSelector' },
      priority: { type: 'int32' },
      rungs: { type: '[]mendlet.v1alpha1.HealingRung' },
      maxPodRestarts: { type: 'int32' },
      resetAfter: { type: 'duration' },
      backOff: { type: 'mendlet.v1alpha1.BackOffCurve' },
      backOffAfterSuccess: { type: 'mendlet.v1alpha1.BackOffCurve' },
      rules: { type: '[]mendlet.v1alpha1.HealingRule' },
      lateRecovery: { type: 'string' },
      volumes: { type: 'mendlet.v1alpha1.HealingVolumes' },
    },
  },
  'mendlet.v1alpha1.HealingVolumes': {
    fields: {
      giveUpAfter: { type: 'duration' },
      restartPodOn: { type: '[]string' },
    },
  },
  'mendlet.v1alpha1.HealingRung': {
    fields: {
      scope: { type: 'string', required: true },
      attempts: { type: 'int32' },
      window: { type: 'duration' },
      emptyDirs: { type: '[]string' },
    },
  },
  'mendlet.v1alpha1.BackOffCurve': {
    fields: {
      initial: { type: 'duration' },
      factor: { type: 'double' },
      cap: { type: 'duration' },
      resetAfter: { type: 'duration' },
      jitter: { type: 'double' },
    },
  },
  'mendlet.v1alpha1.HealingRule': {
    fields: {
      containers: { type: '[]string' },
      onExitCodes: { type: 'mendlet.v1alpha1.ExitCodes' },
      onOutOfMemory: { type: 'boolean' },
      onProbeFailure: { type: '[]string' },
      action: { type: 'string' },
      rung: { type: 'string' },
      backOff: { type: 'mendlet.v1alpha1.BackOffCurve' },
    },
  },
  'mendlet.v1alpha1.ExitCodes': {
    fields: { operator: { type: 'string', required: true }, values: { type: '[]int32' } },
  },
  'mendlet.v1alpha1.HealingPolicyStatus': {
    fields: {
      observedGeneration: { type: 'int64' },
      pods: { type: 'int32' },
      conditions: {
        type: '[]meta.v1.Condition',
        patchStrategy: 'merge',
        patchMergeKey: 'type',
        listType: 'map',
        listMapKeys: ['type'],
      },
    },
  },
  'mendlet.v1.Notification': {
    fields: {
      ...OBJECT,
      spec: { type: 'mendlet.v1.NotificationSpec' },
      status: { type: 'mendlet.v1.NotificationStatus' },
    },
  },
  'mendlet.v1.ClusterNotification': {
    fields: {
      ...OBJECT,
      spec: { type: 'mendlet.v1.ClusterNotificationSpec' },
      status: { type: 'mendlet.v1.NotificationStatus' },
    },
  },
  'mendlet.v1.NotificationSpec': { fields: NOTIFICATION },
  'mendlet.v1.ClusterNotificationSpec': {
    fields: { ...NOTIFICATION, namespaceSelector: { type: 'meta.v1.LabelSelector' } },
  },
  'mendlet.v1.NotificationTarget': {
    fields: {
      type: { type: 'string' },
      url: { type: 'string' },
      urlFrom: { type: 'mendlet.v1.SecretSource' },
      headers: { type: '[]mendlet.v1.NotificationHeader' },
      caBundle: { type: 'bytes' },
    },
  },
  'mendlet.v1.SecretSource': { fields: { secretKeyRef: { type: 'mendlet.v1.SecretRef' } } },
  'mendlet.v1.SecretRef': {
    fields: { name: { type: 'string' }, key: { type: 'string' }, namespace: { type: 'string' } },
  },
  'mendlet.v1.NotificationHeader': {
    fields: { name: { type: 'string' }, value: { type: 'string' }, valueFrom: { type: 'mendlet.v1.SecretSource' } },
  },
  'mendlet.v1.NotificationStatus': {
    fields: {
      observedGeneration: { type: 'int64' },
      sent: { type: 'int64' },
      failed: { type: 'int64' },
      dropped: { type: 'int64' },
      open: { type: 'int32' },
      lastSentTime: { type: 'time' },
      lastProblem: { type: 'string' },
      lastProblemTime: { type: 'time' },
      notices: { type: '[]mendlet.v1.NotificationNotice' },
      test: { type: 'mendlet.v1.NotificationTest' },
      conditions: {
        type: '[]meta.v1.Condition',
        patchStrategy: 'merge',
        patchMergeKey: 'type',
        listType: 'map',
        listMapKeys: ['type'],
      },
    },
  },
  'mendlet.v1.NotificationNotice': {
    fields: {
      id: { type: 'string' },
      trigger: { type: 'string' },
      objectKind: { type: 'string' },
      namespace: { type: 'string' },
      name: { type: 'string' },
      cause: { type: 'string' },
      since: { type: 'time' },
      times: { type: 'int32' },
      told: { type: 'int32' },
      toldTime: { type: 'time' },
      endTime: { type: 'time' },
      closedTime: { type: 'time' },
    },
  },
  'mendlet.v1.NotificationTest': {
    fields: {
      id: { type: 'string' },
      time: { type: 'time' },
      delivered: { type: 'boolean' },
      answer: { type: 'string' },
    },
  },
  // Values of annotations.
  'mendlet.v1alpha1.RestartRequest': {
    fields: {
      id: { type: 'string', required: true },
      scope: { type: 'string' },
      container: { type: 'string' },
      notBefore: { type: 'microTime' },
      reason: { type: 'string' },
      by: { type: 'string' },
      gracePeriodSeconds: { type: 'int64' },
      force: { type: 'boolean' },
      emptyDirs: { type: '[]string' },
      requestedAt: { type: 'microTime' },
    },
  },
  'mendlet.v1alpha1.HealingState': {
    fields: {
      rung: { type: 'string' },
      attempts: { type: 'int32' },
      of: { type: 'int32' },
      podRestarts: { type: 'int32' },
      cleanRestarts: { type: 'int32' },
      since: { type: 'microTime' },
      cause: { type: 'string' },
      move: { type: 'mendlet.v1alpha1.MoveWish' },
      restarts: { type: '[]mendlet.v1alpha1.RestartOutcome' },
      recovery: { type: 'mendlet.v1alpha1.EarlyEnd' },
      problem: { type: 'string' },
    },
  },
  'mendlet.v1alpha1.EarlyEnd': {
    fields: {
      cause: { type: 'string', required: true },
      at: { type: 'microTime', required: true },
    },
  },
  'mendlet.v1alpha1.MoveWish': {
    fields: {
      id: { type: 'string', required: true },
      cause: { type: 'string', required: true },
      at: { type: 'microTime', required: true },
    },
  },
  'mendlet.v1alpha1.RestartOutcome': {
    fields: {
      id: { type: 'string', required: true },
      phase: { type: 'string', required: true },
      reason: { type: 'string' },
      message: { type: 'string' },
      at: { type: 'microTime', required: true },
    },
  },
};
