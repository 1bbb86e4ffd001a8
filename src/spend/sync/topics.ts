/** Of wake-ups: something about the usage of a connection is another than before. */
export const spendTopic = 'spend';
