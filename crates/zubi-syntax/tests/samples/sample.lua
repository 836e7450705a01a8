local M = {}
MAX = 9
local count = 0
local left, right = 1, 2
-- A rate.
function M.price(x) return x end
function M:total() end
local function helper() end
function global() local function inner() end end
M.late = function() end
local twice = function(x) return x * 2 end
return M
