export const ADDRESSES = Symbol('ADDRESSES');
