'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const LABELS = join(__dirname, '../../../labels/CustomLabels.labels-meta.xml');

/** The texts of the labels file, by the label's name. */
function labels() {
  const file = readFileSync(LABELS, 'utf8');
  const found = file.matchAll(/<fullName>(.+?)<\/fullName>[^]*?<value>([^]*?)<\/value>/g);
  return new Map([...found].map(([, name, value]) => [name, value.replaceAll('&amp;', '&')]));
}

/**
 * What the components stand on in Salesforce: the real texts of the labels, and stand-ins for Apex and for what the
 * page offers. Called before the components are required.
 */
function setStage() {
  for (const [name, value] of labels())
    jest.doMock(`@salesforce/label/c.${name}`, () => ({ default: value }), { virtual: true });

  const { createApexTestWireAdapter } = require('@salesforce/sfdx-lwc-jest');
  const apex = {
    templates: createApexTestWireAdapter(jest.fn()),
    documents: createApexTestWireAdapter(jest.fn()),
    generate: jest.fn(),
    status: jest.fn(),
    cancel: jest.fn(),
    retry: jest.fn(),
  };
  for (const [method, standIn] of Object.entries(apex))
    jest.doMock(`@salesforce/apex/DocgenController.${method}`, () => ({ default: standIn }), {
      virtual: true,
    });

  const refreshApex = jest.fn();
  jest.doMock('@salesforce/apex', () => ({ refreshApex }), { virtual: true });

  const navigate = jest.fn();
  const Navigate = Symbol('Navigate');
  const NavigationMixin = (Base) =>
    class extends Base {
      [Navigate](page) {
        navigate(page);
      }
    };
  NavigationMixin.Navigate = Navigate;
  jest.doMock('lightning/navigation', () => ({ NavigationMixin }));

  class CloseActionScreenEvent extends CustomEvent {
    constructor() {
      super('closeactionscreen');
    }
  }
  jest.doMock('lightning/actions', () => ({ CloseActionScreenEvent }), { virtual: true });

  return { apex, refreshApex, navigate };
}

/** A promise that is settled by hand: a call that is still under way. */
function pending() {
  const call = {};
  call.promise = new Promise((resolve, reject) => Object.assign(call, { resolve, reject }));
  return call;
}

/** Lets everything run that waits for promises alone: answers, and the renders after them. */
async function settle() {
  for (let round = 0; round < 20; round += 1) await Promise.resolve();
}

function setHidden(hidden) {
  Object.defineProperty(document, 'visibilityState', {
    configurable: true,
    get: () => (hidden ? 'hidden' : 'visible'),
  });
  document.dispatchEvent(new Event('visibilitychange'));
}

module.exports = { labels, pending, setHidden, setStage, settle };
