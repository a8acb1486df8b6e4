import { signature } from './pictures.mjs';

/** What an application would send for one candidate, with the signature as a picture. */
export function offerData() {
  return {
    Date: '2026-11-16',
    AnswerBy: '2026-11-30',
    Candidate: { Name: 'Mara Lindqvist', Street: 'Fischergasse 7', City: '89073 Ulm' },
    Position: 'Furniture designer',
    Team: 'Chairs and Benches',
    StartDate: '2027-02-01',
    HoursPerWeek: 30,
    Share: 0.79,
    Workplace: 'remote',
    Salary: 46200,
    Currency: 'EUR',
    LeaveDays: 30,
    TrialMonths: 6,
    Benefits: [
      'a budget of €1,200 a year for courses and books',
      'a season ticket for trains and trams',
      'two weeks a year in the workshop, on a piece of your own',
      'furniture at the price of its wood',
    ],
    Manager: { Name: 'Jonas Weidner', Phone: '+49 911 555 0147' },
    Sender: { Name: 'Ruth Adler', Title: 'Managing director' },
    Signature: signature().toString('base64'),
  };
}
