/** Wake-up topic: the usage or the sync status of a connection changed. */
export const spendTopic = 'spend';
