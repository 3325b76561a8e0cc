/** The words of notifications: version, annotations, labels and names. */

/** Of Notification and ClusterNotification; the group's other kinds have `MENDLET_VERSION`. */
export const NOTIFICATION_VERSION = 'v1';

/** On a Notification or ClusterNotification: a message is sent to try the target, once per value. */
export const TEST_NOTIFICATION = 'mendlet.dev/test-notification';

/** The Secret that a reference means when it names none, and the only one that the healer's role may read. */
export const NOTIFICATION_SECRET = 'mendlet-notifications';

/** On a Secret of another name, "true": its values may be sent to the targets of notifications. */
export const SECRET_FOR_NOTIFICATIONS = 'mendlet.dev/for-notifications';

/** Condition: the spec can be used. */
export const NOTIFICATION_ACCEPTED = 'Accepted';
/** Condition: the target took the last message. */
export const NOTIFICATION_DELIVERED = 'Delivered';
