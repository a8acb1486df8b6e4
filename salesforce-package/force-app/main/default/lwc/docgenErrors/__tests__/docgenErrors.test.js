const { setStage } = require('../../docgenTexts/__tests__/stage.cjs');

setStage();
const { sentenceOf } = require('c/docgenErrors');

const UNEXPECTED = 'Something went wrong in Salesforce. Tell your administrator: ';
const OFFLINE = 'Salesforce could not be reached. Check your connection and try again.';

function setOnline(online) {
  Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => online });
}

afterEach(() => setOnline(true));

it.each([
  ['a refusal for people', { body: { message: 'You may not see this template.' } }],
  [
    'a refusal by its type',
    {
      body: {
        message: 'You may not see this template.',
        exceptionType: 'System.AuraHandledException',
      },
    },
  ],
  ['the first of several', { body: [{ message: 'You may not see this template.' }] }],
  ['a text alone', { body: ' You may not see this template. ' }],
  [
    'an error of the page',
    { body: { message: '', pageErrors: [{ message: 'You may not see this template.' }] } },
  ],
  [
    'an error of a field',
    { body: { fieldErrors: { Status__c: [{ message: 'You may not see this template.' }] } } },
  ],
])('says %s as it is', (_, error) => {
  expect(sentenceOf(error)).toBe('You may not see this template.');
});

it('says of a fault that it is one, without its stack', () => {
  const error = {
    body: {
      message: 'Attempt to de-reference a null object',
      exceptionType: 'System.NullPointerException',
      stackTrace: 'Class.DocgenController.generate: line 12',
    },
  };
  expect(sentenceOf(error)).toBe(`${UNEXPECTED}Attempt to de-reference a null object`);
});

it('says of an error in the page that it is one', () => {
  expect(sentenceOf(new Error('x is undefined'))).toBe(`${UNEXPECTED}x is undefined`);
});

it.each([
  ['a status of 0', { status: 0 }],
  ['a fetch that failed', new TypeError('Failed to fetch')],
])('knows by %s that there is no connection', (_, error) => {
  expect(sentenceOf(error)).toBe(OFFLINE);
});

it('knows by the browser that there is no connection', () => {
  setOnline(false);
  expect(sentenceOf({ message: 'Disconnected or Canceled' })).toBe(OFFLINE);
});

it.each([undefined, null, {}, { body: {} }, { body: null }])(
  'has a sentence for an error without a message (%p)',
  (error) => {
    expect(sentenceOf(error)).toBe('Something went wrong. Try again.');
  },
);
