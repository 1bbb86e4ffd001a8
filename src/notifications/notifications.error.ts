import { defineProblem } from '../platform/errors/problem.js';

export const channelNotFound = defineProblem({
  code: 'notification-channel-not-found',
  status: 404,
  title: 'Notification channel not found',
  explain: 'There is no notification channel with this id. "notificationChannels" lists all of them.',
});
export const deliveryNotFound = defineProblem({
  code: 'notification-delivery-not-found',
  status: 404,
  title: 'Parked message not found',
  explain: 'There is no parked message with this id. It may already have been sent again.',
});
